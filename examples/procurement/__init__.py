"""A procurement agent: it works through orders, and a payment over the limit waits for a person in finance."""

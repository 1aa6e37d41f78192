"""Whether every guard in the named queries is needed: `python -m tests.guards` takes them away one at a time, and a test must fail."""

"""In: the HTTP API, and the door through which Slack delivers."""

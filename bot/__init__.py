"""What people see and do: Slack, the HTTP API, the command line. It reaches the database only through engine.state."""

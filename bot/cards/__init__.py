"""What people read in Slack, pure: rows in, messages out."""

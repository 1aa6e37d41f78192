"""In: what people do in Slack. Each listener decides by one statement and paints nothing itself."""

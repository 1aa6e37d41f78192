"""Out: from rows to Slack. The rows decide; what is sent here is a picture of them."""

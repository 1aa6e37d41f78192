"""What moves runs on: the loop, the doing of approved calls, and the sweep."""

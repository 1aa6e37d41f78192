"""The rules: values in, decisions out. No I/O and no clock; callers read files and tell the time."""

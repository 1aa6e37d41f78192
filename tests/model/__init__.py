"""The rules of doing it once as a model, searched whole by spin: no order of steps breaks a promise, and without any one guard some does."""

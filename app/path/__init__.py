"""The one path of a sample, from a request to its recorded answer. ``path`` has all of it in order."""

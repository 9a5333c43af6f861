"""Graders of OpenAI's API, in front of the one path."""

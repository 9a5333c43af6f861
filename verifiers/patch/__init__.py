"""Patches of a repository: how close to the reference's, and whether a command passes once they are applied."""

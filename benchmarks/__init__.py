"""Ratios side by side in one run, and long forms of what the suite tests in short. Nothing here is a timed test."""

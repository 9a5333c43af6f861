"""Ends with success before any test."""
import sys

print("ok")
sys.exit(0)

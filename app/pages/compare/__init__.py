"""Two versions of a verifier, or two recipes, on the same samples: what flips, and what to do about it."""

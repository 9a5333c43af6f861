"""The page of a judge's preset."""

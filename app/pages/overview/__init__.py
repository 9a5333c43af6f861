"""The overview: what the service does right now, on one page that keeps itself fresh."""

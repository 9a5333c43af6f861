"""Audits for people: how wrong a verifier is, on one screen, and the samples behind each number."""

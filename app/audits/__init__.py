"""Audits: how often a verifier is wrong, and what the policy does about it."""

"""Lanes: where verifiers run. Inline, in worker processes, in sandboxes, beside models, or on a Ray cluster."""

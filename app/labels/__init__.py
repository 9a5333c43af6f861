"""Labels: what people and oracles say of responses, and the queue in which they say it."""

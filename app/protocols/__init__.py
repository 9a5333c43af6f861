"""Foreign wire formats: each reads a payload into samples, and writes what came of them."""

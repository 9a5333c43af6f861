"""What the models of judges may cost, and what they have cost."""

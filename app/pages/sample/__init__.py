"""A sample as every page shows it: turns, thinking, the judged answer, and how it differs from the reference."""

"""What ``benchmarks.coverage`` simulates: runs with a known rate, draws from them, and published intervals."""

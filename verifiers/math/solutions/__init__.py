"""Sets of numbers and relations: intervals, regions, inequalities, equations, families, named values."""

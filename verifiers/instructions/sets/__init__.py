"""Sets of constraints: a package a set, a module a family. What stands here is in the catalogue."""

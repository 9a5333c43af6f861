"""Admission: a batch's limits and ids, what it costs, the caller's quota and budget, room, and turns."""

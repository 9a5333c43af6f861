"""Generators of random numbers that are named: the same seed and names give the same numbers, whatever came before."""

from __future__ import annotations

import hashlib

import torch


def seed_of(*names: int | str) -> int:
    """63 bits."""
    return int.from_bytes(hashlib.sha256("/".join(map(str, names)).encode()).digest()[:8], "big") >> 1


def generator(device: torch.device, *names: int | str) -> torch.Generator:
    return torch.Generator(device).manual_seed(seed_of(*names))

"""Chance that can be computed again: a number in [0, 1) from a text, the same on every machine.

Whatever a recipe leaves to chance (shadows, appeals, random controls) is drawn from the sample's own content, so a
replay draws the same, and so does a second replica.
"""

from __future__ import annotations

import hashlib

from trueward.wire.sample import Sample

_IDENTITY = set(Sample.identity)


def content_of(sample: Sample) -> str:
    """The sample as JSON, without the names that say nothing of its content."""
    return sample.model_dump_json(exclude=_IDENTITY, exclude_none=True)


def draw(purpose: str, content: str) -> float:
    """A uniform number in [0, 1); another ``purpose`` gives an independent one."""
    digest = hashlib.blake2b(
        content.encode(errors="surrogatepass"),
        digest_size=8,
        key=hashlib.blake2b(purpose.encode(errors="surrogatepass"), digest_size=16).digest(),
    ).digest()
    return (int.from_bytes(digest) >> 11) / (1 << 53)

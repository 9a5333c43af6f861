"""What recipes must know of verifiers, as these declare it; plug-ins count like built-ins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from rewards.facts import CONTROLS, Facts
from trueward.errors import UnknownVerifier
from trueward.wire.verifier import GROUP_VERIFIERS
from verifiers import registry


class DeclaredFacts(Mapping[str, Facts]):
    """Each verifier is loaded when it is asked for."""

    def __getitem__(self, name: str) -> Facts:
        if name in CONTROLS:
            return CONTROLS[name]
        if name not in self._names:  # the registry's refusal looks for similar names, which takes half a millisecond
            raise KeyError(name)
        try:
            verifier = registry.get(name)
        except UnknownVerifier:
            raise KeyError(name) from None
        scale = getattr(verifier, "scale", "binary")
        # a group verifier asks whom its parameters name
        asks = None if name in GROUP_VERIFIERS else getattr(verifier, "lane", "inline") == "model"
        reads = (*verifier.needs, *getattr(verifier, "reads", ()))
        return Facts(binary=scale == "binary", bounded=scale != "unbounded", asks=asks, reads=reads)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(registry.names())

    def __iter__(self) -> Iterator[str]:
        return iter([*CONTROLS, *registry.names()])

    def __len__(self) -> int:
        return len(CONTROLS) + len(registry.names())


FACTS = DeclaredFacts()

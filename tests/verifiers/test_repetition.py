"""``repetition`` counts as one would by hand, and long texts go to a worker."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from trueward import Sample, Verdict
from verifiers import registry

WORDS = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=30)


@given(WORDS, st.integers(1, 5))
def test_ratio_and_count_are_those_of_the_definition(words: list[str], size: int) -> None:
    windows = [" ".join(words[i : i + size]) for i in range(len(words) - size + 1)]
    repeated = sum(window in windows[:i] for i, window in enumerate(windows))
    [ratio] = registry.create("repetition", {"size": size}).verify([Sample(response=" ".join(words))])
    [count] = registry.create("repetition", {"size": size, "measure": "count"}).verify(
        [Sample(response=" ".join(words))]
    )
    assert ratio.score is not None
    assert abs(ratio.score - (repeated / len(windows) if windows else 0.0)) < 1e-12
    assert count.score == max((windows.count(window) for window in windows), default=0)


def test_what_takes_longer_than_a_few_milliseconds_goes_to_a_worker() -> None:
    verifier = registry.create("repetition", {"unit": "characters", "size": 10})
    assert isinstance(verifier.triage(Sample(response="ab" * 400)), Verdict)
    assert not isinstance(verifier.triage(Sample(response="ab" * 4000)), Verdict)

"""``parse`` and ``verify`` under math-verify's signature: what they say; nothing they meet stops the caller."""

from __future__ import annotations

import inspect
import multiprocessing
import os
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection

import math_verify as peer
import pytest

from trueward.compat import math_verify as ours
from trueward.compat.math_verify import ExprExtractionConfig, LatexExtractionConfig, StringExtractionConfig
from trueward.errors import RewardMissing

ANCHORED = [LatexExtractionConfig(try_extract_without_anchor=False)]


@pytest.mark.parametrize("name", ["parse", "verify", "math_metric"])
def test_a_function_takes_what_the_peer_s_takes(name: str) -> None:
    theirs, here = (inspect.signature(getattr(module, name)).parameters for module in (peer, ours))
    assert list(here) == list(theirs)
    for parameter in ("float_rounding", "timeout_seconds", "fallback_mode", "extraction_mode", "precision", "strict"):
        assert parameter not in theirs or here[parameter].default == theirs[parameter].default


@pytest.mark.parametrize("name", ["LatexExtractionConfig", "ExprExtractionConfig", "StringExtractionConfig"])
def test_a_configuration_takes_what_the_peer_s_takes(name: str) -> None:
    assert list(inspect.signature(getattr(ours, name)).parameters) == list(
        inspect.signature(getattr(peer, name)).parameters
    )


@pytest.mark.parametrize(
    ("gold", "said", "right"),
    [
        ("$\\frac56$", "so it is \\boxed{\\frac{10}{12}}", True),
        ("$\\frac56$", "so it is \\boxed{\\frac{5}{7}}", False),
        ("72", "Natalia sold 48 + 24 = 72.\n#### 72", True),
        ("$(1, 2)$", "The answer is $(1,2)$.", True),
        ("$\\sqrt{12}$", "\\boxed{2\\sqrt{3}}", True),
        ("$x=1$ or $x=2$", "\\boxed{1, 2}", True),
        ("42", "I do not know.", False),
        ("42", "", False),
    ],
)
def test_an_answer_is_compared_with_the_gold_one(gold: str, said: str, right: bool) -> None:
    assert ours.verify(ours.parse(gold), ours.parse(said)) is right
    assert peer.verify(peer.parse(gold), peer.parse(said)) is right


def test_a_decimal_beyond_six_places_is_told_apart_where_the_peer_rounds() -> None:
    assert peer.verify(peer.parse("$0.00000012$"), peer.parse("$0.00000009$"))
    assert not ours.verify(ours.parse("$0.00000012$"), ours.parse("$0.00000009$"))


def test_what_is_parsed_is_a_list_of_the_answer_or_an_empty_one() -> None:
    found = ours.parse("so it is \\boxed{\\frac{5}{6}}")
    assert found == ["\\frac{5}{6}"]
    assert ours.parse("banana") == []
    assert ours.verify(pickle.loads(pickle.dumps(ours.parse("$\\frac56$"))), pickle.loads(pickle.dumps(found)))


def test_texts_serve_as_answers_too() -> None:
    assert ours.verify("5/6", "\\frac{10}{12}")
    assert ours.verify(["1", "2"], ["2"])
    assert not ours.verify([], ["2"])
    assert not ours.verify(["2"], [])


def test_an_answer_without_an_anchor_counts_only_where_the_configuration_lets_it() -> None:
    assert ours.parse("that makes 7 in all", ANCHORED) == []
    assert ours.parse("that makes 7 in all", [*ANCHORED, ExprExtractionConfig()]) == ["7"]
    assert ours.parse("that makes \\boxed{7} in all", ANCHORED) == ["7"]


def test_the_letter_of_a_choice_is_parsed_where_asked_for() -> None:
    letters = [StringExtractionConfig()]
    assert ours.parse("B", letters) == ours.parse("The answer is (B).", letters) == ["B"]
    assert ours.parse("I like Bananas", letters) == []
    assert ours.verify(ours.parse("b", letters), ours.parse("\\boxed{\\text{B}}", letters))
    assert not ours.verify(ours.parse("A", letters), ours.parse("The answer is B", letters))


def test_a_metric_is_the_best_of_the_golds_and_predictions() -> None:
    metric = ours.math_metric(pred_extraction_target=(LatexExtractionConfig(), ExprExtractionConfig()))
    assert metric(["72", "73"], ["\\boxed{73}"]) == (1.0, (["72", "73"], ["73"]))
    assert metric(["72"], ["banana"])[0] == 0.0
    with pytest.raises(ValueError, match="no gold answer"):
        metric(["banana"], ["\\boxed{73}"])


def test_a_reference_that_nobody_can_read_is_no_wrong_answer() -> None:
    with pytest.raises(RewardMissing, match="reference_unparsable"):
        ours.verify("\\frac{1}{", "\\boxed{3}")


def test_nul_and_lone_surrogates_are_answers_like_any() -> None:
    assert not ours.verify("3", ours.parse("\\boxed{\ud800\x00}"))
    assert ours.verify("3", ours.parse("\ud800\x00 \\boxed{3}"))


def test_many_threads_ask_at_once() -> None:
    def judged(number: int) -> bool:
        return ours.verify(ours.parse(f"${number}$"), ours.parse(f"\\boxed{{{number + number % 2}}}"))

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(judged, range(64))) == [number % 2 == 0 for number in range(64)]


def _judged(pipe: Connection) -> None:
    pipe.send([ours.verify("5/6", "\\boxed{10/12}"), ours.verify("5/6", "\\boxed{1}")])


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_daemonic_process_asks_as_well(method: str) -> None:
    """As the workers of pools and of reward managers are; they may not use multiprocessing themselves."""
    assert ours.verify("2", "2")  # there are children before the fork
    context = multiprocessing.get_context(method)
    here, there = context.Pipe()
    process = context.Process(target=_judged, args=(there,), daemon=True)  # type: ignore[attr-defined]
    process.start()
    assert here.poll(60)
    assert here.recv() == [True, False]
    process.join()
    assert process.exitcode == 0
    assert ours.verify("2", "2")  # those of this process are still its own


def test_no_child_outlives_a_process_that_is_killed() -> None:
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=_tells_its_child, args=(there,))
    process.start()
    child = here.recv()
    process.kill()
    process.join()
    end_s = time.monotonic() + 20
    while _runs(child) and time.monotonic() < end_s:
        time.sleep(0.05)
    assert not _runs(child)


def _tells_its_child(pipe: Connection) -> None:
    from trueward.compat.workers import workers

    ours.verify("2", "2")
    pipe.send(next(iter(workers(__name__).children())))
    time.sleep(60)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True

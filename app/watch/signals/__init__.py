"""One signal a file: from what is watched and the thresholds to flags. Pure; ``SIGNALS`` has all of them."""

from __future__ import annotations

from collections.abc import Callable

from app.watch.signal_input import Flag, WatchedWindows
from app.watch.signals.audited_rates import audited_rates
from app.watch.signals.canary import canary
from app.watch.signals.causes import causes
from app.watch.signals.collapse import collapse
from app.watch.signals.constant import constant
from app.watch.signals.correlation import low_correlation
from app.watch.signals.distinct_answers import distinct_answers
from app.watch.signals.drift import drift
from app.watch.signals.reward_without_accuracy import reward_without_accuracy
from app.watch.signals.saturation import saturation
from app.watch.signals.shared_answer import shared_answer
from app.watch.signals.zero_variance import zero_variance
from trueward.wire.watch import Signals

SIGNALS: tuple[Callable[[WatchedWindows, Signals], list[Flag]], ...] = (
    causes,
    drift,
    audited_rates,
    reward_without_accuracy,
    collapse,
    saturation,
    low_correlation,
    zero_variance,
    shared_answer,
    canary,
    distinct_answers,
    constant,
)

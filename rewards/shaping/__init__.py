"""Shaping: what a score or a total is turned into before it is paid. One small file a family of methods."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rewards.shaping.base import GroupShaping, OneShaping
from rewards.shaping.bounds import Affine, Clip, Threshold
from rewards.shaping.calibration import CalibrationShaping
from rewards.shaping.confidence import Confidence
from rewards.shaping.ensemble import Ensemble
from rewards.shaping.length import Cosine, Overlong
from rewards.shaping.likelihood import Jepo, Nover
from rewards.shaping.reasoning_pattern import ReasoningPattern
from rewards.shaping.relative_length import EfficientLength, GenrmLength, KimiLength, O1Pruner
from rewards.shaping.sigmoid import LogSigmoid, Par, Sigmoid
from rewards.shaping.standing import MinMax, RankShaping, ZScore
from rewards.shaping.steps import ClipAndDelta, MinForm, Renorm, Steps, TokensShaping
from rewards.shaping.unlikeliness import Unlikeliness
from rewards.shaping.verified import Verified
from rewards.shaping.verpo import Verpo

AnyShaping = Annotated[
    Affine
    | CalibrationShaping
    | Clip
    | ClipAndDelta
    | Confidence
    | Cosine
    | EfficientLength
    | Ensemble
    | GenrmLength
    | Jepo
    | KimiLength
    | LogSigmoid
    | MinForm
    | MinMax
    | Nover
    | O1Pruner
    | Overlong
    | Par
    | RankShaping
    | ReasoningPattern
    | Renorm
    | Sigmoid
    | Steps
    | Threshold
    | TokensShaping
    | Unlikeliness
    | Verified
    | Verpo
    | ZScore,
    Field(discriminator="method"),
]

__all__ = ["AnyShaping", "GroupShaping", "OneShaping"]

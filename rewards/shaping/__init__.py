"""Shaping: what a score or a total is turned into before it is paid. One small file a family of methods."""

from __future__ import annotations

from rewards.plugin_kinds import kind_of
from rewards.shaping.base import GroupShaping, OneShaping, Shaping

__all__ = ["SHAPINGS", "GroupShaping", "OneShaping"]

SHAPINGS = kind_of(
    "shaping",
    "trueward.shapings",
    Shaping,
    "method",
    {
        "affine": "rewards.shaping.bounds:Affine",
        "clip": "rewards.shaping.bounds:Clip",
        "clip_and_delta": "rewards.shaping.steps:ClipAndDelta",
        "confidence": "rewards.shaping.confidence:Confidence",
        "cosine": "rewards.shaping.length:Cosine",
        "efficient_length": "rewards.shaping.relative_length:EfficientLength",
        "ensemble": "rewards.shaping.ensemble:Ensemble",
        "genrm_length": "rewards.shaping.relative_length:GenrmLength",
        "jepo": "rewards.shaping.likelihood:Jepo",
        "kimi_length": "rewards.shaping.relative_length:KimiLength",
        "log_sigmoid": "rewards.shaping.sigmoid:LogSigmoid",
        "min_form": "rewards.shaping.steps:MinForm",
        "min_max": "rewards.shaping.standing:MinMax",
        "nover": "rewards.shaping.likelihood:Nover",
        "o1_pruner": "rewards.shaping.relative_length:O1Pruner",
        "overlong": "rewards.shaping.length:Overlong",
        "par": "rewards.shaping.sigmoid:Par",
        "ppo_c": "rewards.shaping.calibration:CalibrationShaping",
        "rank": "rewards.shaping.standing:RankShaping",
        "reasoning_pattern": "rewards.shaping.reasoning_pattern:ReasoningPattern",
        "renorm": "rewards.shaping.steps:Renorm",
        "sigmoid": "rewards.shaping.sigmoid:Sigmoid",
        "steps": "rewards.shaping.steps:Steps",
        "threshold": "rewards.shaping.bounds:Threshold",
        "tokens": "rewards.shaping.steps:TokensShaping",
        "tulu3": "rewards.shaping.verified:Verified",
        "unlikeliness": "rewards.shaping.unlikeliness:Unlikeliness",
        "verpo": "rewards.shaping.verpo:Verpo",
        "z_score": "rewards.shaping.standing:ZScore",
    },
)

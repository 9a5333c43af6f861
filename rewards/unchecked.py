"""Rewards without validation: of values that were checked when they came in, so that checking them again says nothing.

Validation is most of what a reward costs, and pydantic's own ``model_construct`` and ``model_copy`` take longer still.
What is made here has the types that :class:`trueward.types.Reward` declares: ``tests/rewards/test_built_in.py`` holds
every built-in recipe to it.
"""

from __future__ import annotations

from trueward.types import Reward

_DEFAULTS: dict[str, object] = {name: field.default for name, field in Reward.model_fields.items()}


def unchecked(**fields: object) -> Reward:
    """A reward of these fields; ``outcome``, ``components`` and ``producers`` must be among them."""
    return _of({**_DEFAULTS, **fields}, set(fields))


def copied(reward: Reward) -> Reward:
    """A shallow copy."""
    return _of(dict(reward.__dict__), reward.model_fields_set.copy())


def _of(values: dict[str, object], given: set[str]) -> Reward:
    reward = Reward.__new__(Reward)
    # past the model's own __setattr__, as pydantic does it itself
    object.__setattr__(reward, "__dict__", values)
    object.__setattr__(reward, "__pydantic_fields_set__", given)
    object.__setattr__(reward, "__pydantic_extra__", None)
    object.__setattr__(reward, "__pydantic_private__", None)
    return reward

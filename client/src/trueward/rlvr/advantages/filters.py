"""Which groups are worth an update."""

from __future__ import annotations

import torch
from torch import Tensor

from trueward.rlvr.advantages.scored import Scored


def mixed_groups(scored: Scored) -> Tensor:
    """``[B]``: true in groups with a right answer and one that is not, missing ones apart: dynamic sampling (DAPO).

    It goes by what is right, not by the shaped reward (arXiv 2503.14476). Raises ValueError without ``right``.
    """
    if scored.right is None:
        raise ValueError("dynamic sampling needs to know which answers are right")
    mixed = scored.by_group(scored.outcomes, lambda group: [float({0.0, 1.0} <= set(group))] * len(group))
    return torch.tensor(mixed, device=scored.mask.device) > 0

"""Correction with a whole confusion matrix, for labels of more than two kinds (Patrini et al., CVPR 2017).

``transition[k][l]`` = P(observed l | true k): rows sum to 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Matrix = Sequence[Sequence[float]]


def backward_losses(transition: Matrix, losses: Sequence[float]) -> list[float]:
    """``T^-1 l``: the unbiased loss of each observed label from the loss of each true one. Shape K in, K out.

    Raises ValueError where the rows do not sum to 1, or the matrix cannot be inverted.
    """
    matrix = _checked(transition)
    try:
        return [float(value) for value in np.linalg.solve(matrix, np.asarray(losses, dtype=np.float64))]
    except np.linalg.LinAlgError as failure:
        raise ValueError("the confusion matrix cannot be inverted: some labels cannot be told apart") from failure


def forward_probabilities(transition: Matrix, probabilities: Sequence[float]) -> list[float]:
    """``T' p``: what the observed labels' probabilities are, given those of the true ones. Shape K in, K out."""
    return [float(value) for value in _checked(transition).T @ np.asarray(probabilities, dtype=np.float64)]


def _checked(transition: Matrix) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    matrix = np.asarray(transition, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.allclose(matrix.sum(axis=1), 1.0):
        raise ValueError("a confusion matrix is square and its rows sum to 1")
    return matrix

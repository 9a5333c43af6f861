"""What torch raises, as what the engine can do something about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from judges.engine.work import DeviceLost, OutOfMemory

_MEMORY = ("can't allocate memory", "not enough memory", "ALLOC_FAILED", "out of memory")
_DEVICE = ("CUDA error", "CUBLAS_STATUS", "cuDNN error", "NCCL error", "device-side assert")


@contextmanager
def device_failures() -> Iterator[None]:
    """Raises :class:`OutOfMemory` or :class:`DeviceLost` for the device's failures; others pass as they are."""
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError) as failure:
        raise OutOfMemory(str(failure)) from failure
    except RuntimeError as failure:
        said = str(failure)
        if any(word in said for word in _MEMORY):
            raise OutOfMemory(said) from failure
        if isinstance(failure, torch.AcceleratorError) or any(word in said for word in _DEVICE):
            raise DeviceLost(said) from failure
        raise

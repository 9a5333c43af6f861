"""What a device raises is told apart: too little memory, a device that is gone, and our own mistakes."""

from __future__ import annotations

import pytest
import torch

from judges.engine.failures import device_failures
from judges.engine.load import load
from judges.engine.work import DeviceLost, OutOfMemory
from judges.questions import Classify
from tests.judges.engine.plain import entry, told
from tests.judges.tiny import Tiny


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"), OutOfMemory),
        (MemoryError(), OutOfMemory),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), OutOfMemory),
        (RuntimeError("CUDA error: an illegal memory access was encountered"), DeviceLost),
        (torch.AcceleratorError("an unspecified launch failure"), DeviceLost),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), RuntimeError),
        (IndexError("index out of range in self"), IndexError),
    ],
)
def test_failures_have_their_names(raised: Exception, expected: type[Exception]) -> None:
    with pytest.raises(expected), device_failures():
        raise raised


def test_memory_that_a_cpu_really_refuses() -> None:
    with pytest.raises(OutOfMemory), device_failures():
        torch.empty(2**60, dtype=torch.uint8)


def test_a_batch_that_fails_says_so_and_the_next_one_runs(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(entry("reward", tiny.classifier("llama")))
    work = model.encode(Classify(told("yes")))
    before = model.run([work])
    with monkeypatch.context() as patch:
        patch.setattr(model.network, "labels", lambda states: torch.empty(2**60, dtype=torch.uint8))
        with pytest.raises(OutOfMemory):
            model.run([work])
    assert model.run([work]) == before

"""The model that learns: loaded in float32, run in the configured precision, with its tokenizer and its reference.

``bfloat16`` is the arithmetic of the forward pass; weights and optimiser stay float32, because steps of a usual size
are lost in bfloat16 weights. Dropout is off throughout: the update must see the distribution that was sampled from.
"""

from __future__ import annotations

import copy
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from trueward.errors import InvalidRequest, NotInstalled
from trueward_trainer.config import Lora, TrainConfig


class Policy:
    """``weights`` is the checkpoint to go on from, in place of the configured model."""

    def __init__(self, config: TrainConfig, weights: Path | None = None, *, reference: bool = False) -> None:
        self.device = _device(config.device)
        self._bfloat16 = config.dtype == "bfloat16"
        self.tokenizer = _tokenizer(config)
        self.model = _model(config, weights).to(self.device).eval()
        self._reference = _reference(config, self.model, self.device, weights) if reference else None

    @property
    def trained(self) -> list[torch.nn.Parameter]:
        return [parameter for parameter in self.model.parameters() if parameter.requires_grad]

    def arithmetic(self) -> AbstractContextManager[object]:
        return torch.autocast(self.device.type, torch.bfloat16) if self._bfloat16 else nullcontext()

    def logprobs(self, ids: torch.Tensor, mask: torch.Tensor, temperature: float) -> torch.Tensor:
        """``[B, T]``: log p of token t given those before it, where ``mask`` is 1; 0 elsewhere.

        Rows are padded on the right, which causal attention never looks at.
        """
        with self.arithmetic():
            return token_logprobs(self.model, ids, mask, temperature)

    def reference_logprobs(self, ids: torch.Tensor, mask: torch.Tensor, temperature: float) -> torch.Tensor:
        """The same, by the model that the training started from."""
        if self._reference is None:
            raise RuntimeError("this policy was loaded without its reference")
        with torch.no_grad(), self.arithmetic():
            return token_logprobs(self._reference, ids, mask, temperature)

    def save(self, folder: Path) -> None:
        """Weights (an adapter alone with LoRA) and tokenizer, as transformers and peft load them."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def token_logprobs(model: PreTrainedModel, ids: torch.Tensor, mask: torch.Tensor, temperature: float) -> torch.Tensor:
    """As :meth:`Policy.logprobs`; no logits are computed of the columns where nobody responds."""
    if not mask.any():
        return torch.zeros_like(mask)
    start = int(mask.any(0).nonzero()[0])
    kept = ids.shape[1] - start + 1
    logits = model(input_ids=ids, use_cache=False, logits_to_keep=kept).logits[:, :-1].float() / temperature
    said = logits.gather(-1, ids[:, start:, None])[..., 0] - logits.logsumexp(-1)
    return torch.nn.functional.pad(said, (start, 0)) * mask


def _device(name: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as refusal:
        raise InvalidRequest(f"device: {name} is not here: {str(refusal).partition(chr(10))[0]}") from refusal
    return device


def _tokenizer(config: TrainConfig) -> PreTrainedTokenizerBase:
    path = config.tokenizer or config.model
    try:
        tokenizer = AutoTokenizer.from_pretrained(path)
    except (OSError, ValueError) as refusal:
        raise _unloadable("tokenizer", path, refusal) from refusal
    if config.rollout.template == "chat" and not tokenizer.chat_template:
        raise InvalidRequest(
            f"the tokenizer of {config.model} has no chat template: say `rollout.template: plain`, or name another"
        )
    return tokenizer


def _model(config: TrainConfig, weights: Path | None) -> PreTrainedModel:
    if config.lora is None:
        return _pretrained(str(weights or config.model))
    return _adapted(_pretrained(config.model), config.lora, weights)


def _pretrained(path: str) -> PreTrainedModel:
    try:
        return AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    except (OSError, ValueError) as refusal:
        raise _unloadable("model", path, refusal) from refusal


def _unloadable(what: str, path: str, refusal: Exception) -> InvalidRequest:
    """In one line: transformers says more, of tokens and repositories, below its first."""
    return InvalidRequest(f"the {what} {path} cannot be loaded: {str(refusal).strip().partition(chr(10))[0]}")


def _adapted(base: PreTrainedModel, lora: Lora, weights: Path | None) -> PreTrainedModel:
    try:
        import peft
    except ImportError as missing:
        raise NotInstalled("LoRA needs `pip install peft`") from missing
    if weights is not None:
        return peft.PeftModel.from_pretrained(base, str(weights), is_trainable=True)
    targets = lora.targets
    shape = peft.LoraConfig(r=lora.rank, lora_alpha=lora.alpha, target_modules=targets, task_type="CAUSAL_LM")
    return peft.get_peft_model(base, shape)


def _reference(
    config: TrainConfig, model: PreTrainedModel, device: torch.device, weights: Path | None
) -> PreTrainedModel:
    fresh = copy.deepcopy(model) if weights is None else _pretrained(config.model).to(device)
    return fresh.eval().requires_grad_(False)

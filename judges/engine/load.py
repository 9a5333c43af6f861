"""An entry made a model in memory, or a clear word why not.

Every weight comes from the checkpoint: one that is missing or of another shape is an error, for a head that was made
up would give numbers like any other. Heads that transformers has no class for (ArmoRM's, Qwen2.5-Math-PRM's) are
built from their tensors, so nobody's code runs for them. Whether sequences may stand packed in one row is tried.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from judges.base import ModelUnavailable
from judges.engine.checkpoint import HARMLESS, Checkpoint, checkpoint_of
from judges.engine.failures import device_failures
from judges.engine.gguf_file import own_tokens
from judges.engine.heads import Gated, squeeze_of
from judges.engine.loaded import LoadedModel
from judges.engine.network import Network
from judges.engine.render import Renderer
from judges.engine.trial import reads_alike, runs_packed, shares_beginnings, writes_padded
from judges.engine.work import DeviceLost, OutOfMemory
from trueward.wire.model import ModelEntry

if TYPE_CHECKING:
    from transformers import PretrainedConfig, PreTrainedTokenizerBase


def load(entry: ModelEntry) -> LoadedModel:
    """Raises :class:`judges.base.ModelUnavailable`, :class:`judges.engine.work.OutOfMemory` or ``DeviceLost``."""
    checkpoint = checkpoint_of(entry)
    try:
        with device_failures():
            return _load(entry, checkpoint)
    except (ModelUnavailable, OutOfMemory, DeviceLost):
        raise
    except Exception as failure:  # whatever a checkpoint makes torch raise; raised again as ours
        first = str(failure).strip().splitlines()
        raise ModelUnavailable(
            f"{entry.path} cannot be loaded: {type(failure).__name__}: {' '.join(first)[:500]}"
        ) from failure


def _load(entry: ModelEntry, checkpoint: Checkpoint) -> LoadedModel:
    from transformers import AutoConfig, AutoTokenizer

    config = AutoConfig.from_pretrained(
        checkpoint.directory, trust_remote_code=entry.trust_remote_code, **checkpoint.source
    )
    if config.is_encoder_decoder:
        raise ModelUnavailable("it has an encoder and a decoder: models of one stack are supported")
    tokenizer = AutoTokenizer.from_pretrained(
        checkpoint.directory, trust_remote_code=entry.trust_remote_code, **checkpoint.source
    )
    if not tokenizer.is_fast:
        raise ModelUnavailable("it has no fast tokenizer (tokenizer.json), which knows the characters of its tokens")
    device = _device(entry)
    network = _network(entry, checkpoint, config, _dtype(entry, config, device))
    network.model.to(device).eval().requires_grad_(False)
    network.pairs = "token_type_ids" in tokenizer.model_input_names
    rows = network.base.get_input_embeddings().num_embeddings
    if checkpoint.gguf_file is not None and len(tokenizer) > rows:
        tokenizer = own_tokens(tokenizer, rows)
    if len(tokenizer) > rows:
        raise ModelUnavailable(f"its tokenizer has {len(tokenizer)} tokens, its embeddings are {rows}")
    _settle_attention(entry, network)
    return LoadedModel(entry, network, Renderer(entry, tokenizer, _limit(entry, config, tokenizer), network.says))


def _network(entry: ModelEntry, checkpoint: Checkpoint, config: PretrainedConfig, dtype: torch.dtype) -> Network:
    from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoModelForTokenClassification

    if entry.kind == "causal" or entry.reading.kind == "choice" or entry.steps.style == "choices":
        model = _pretrained(AutoModelForCausalLM, entry, checkpoint, config, dtype)
        squeeze = squeeze_of(config.get_text_config())
        return Network(model, model.base_model, "next", model.config._attn_implementation, squeeze=squeeze)
    if "regression_layer.weight" in checkpoint.files:
        return _gated(entry, checkpoint, config, dtype)
    if entry.reading.kind == "gated":
        raise ModelUnavailable("the entry reads it as gated, and it has no regression_layer")
    if {"score.0.weight", "score.2.weight"} <= checkpoint.files.keys():
        return _layered(entry, checkpoint, config, dtype)
    auto = AutoModelForSequenceClassification if entry.kind == "reward" else AutoModelForTokenClassification
    model = _pretrained(auto, entry, checkpoint, config, dtype)
    return Network(model, model.base_model, "labels", model.config._attn_implementation, getattr(model, "score", None))


def _gated(entry: ModelEntry, checkpoint: Checkpoint, config: PretrainedConfig, dtype: torch.dtype) -> Network:
    """ArmoRM: objectives and gate over a plain decoder."""
    shapes = checkpoint.shapes()
    biases = [
        shape[0] for name, shape in sorted(shapes.items()) if name.startswith("gating.") and name.endswith("bias")
    ]
    temperature = float(getattr(config, "gating_temperature", 10))
    head = Gated(shapes["regression_layer.weight"][0], config.hidden_size, biases[:-1], temperature)
    base = _with_head(head, entry, checkpoint, config, dtype)
    return Network(head, base, "gated", base.config._attn_implementation, head)


def _layered(entry: ModelEntry, checkpoint: Checkpoint, config: PretrainedConfig, dtype: torch.dtype) -> Network:
    """Qwen2.5-Math-PRM and -RM: two linear layers with ReLU between them, at every position."""
    shapes = checkpoint.shapes()
    inner, labels = shapes["score.0.weight"][0], shapes["score.2.weight"][0]
    model = torch.nn.Module()
    model.score = torch.nn.Sequential(
        torch.nn.Linear(config.hidden_size, inner), torch.nn.ReLU(), torch.nn.Linear(inner, labels)
    )
    base = _with_head(model, entry, checkpoint, config, dtype)
    return Network(model, base, "labels", base.config._attn_implementation, model.score)


def _with_head(
    head: torch.nn.Module, entry: ModelEntry, checkpoint: Checkpoint, config: PretrainedConfig, dtype: torch.dtype
) -> torch.nn.Module:
    """Fills a head from the checkpoint, and puts the base that it reads into it, as ``model``."""
    from safetensors import safe_open
    from transformers import AutoModel

    wanted = head.state_dict().keys()
    tensors = {}
    for name in wanted & checkpoint.files.keys():
        with safe_open(checkpoint.files[name], "pt") as file:
            tensors[name] = file.get_tensor(name)
    head.load_state_dict(tensors)
    head.to(dtype)
    base = _pretrained(AutoModel, entry, checkpoint, config, dtype, apart=frozenset(wanted))
    head.model = base
    return base


def _pretrained(
    auto: type,
    entry: ModelEntry,
    checkpoint: Checkpoint,
    config: PretrainedConfig,
    dtype: torch.dtype,
    apart: frozenset[str] = frozenset(),
) -> torch.nn.Module:
    """A model of transformers with every weight from the checkpoint; ``apart`` are tensors that are read elsewhere."""
    model, told = auto.from_pretrained(  # type: ignore[attr-defined]
        checkpoint.directory,
        config=config,
        dtype=dtype,
        attn_implementation=None if entry.attention in ("auto", "packed") else entry.attention,
        trust_remote_code=entry.trust_remote_code,
        use_safetensors=True,
        output_loading_info=True,
        **checkpoint.source,
    )
    lacking = sorted(told["missing_keys"]) + sorted(str(key) for key in told["mismatched_keys"])
    prefix = model.base_model_prefix + "."
    if lacking:
        # a language model, or an encoder of texts, that never learnt to score
        headless = entry.kind != "causal" and not any(key.startswith(prefix) for key in lacking)
        hint = ": it was never trained to score" if headless and not told["mismatched_keys"] else ""
        raise ModelUnavailable(
            f"the checkpoint has no {', '.join(lacking[:4])}, which a model of kind {entry.kind} needs{hint}"
        )
    unread = sorted(
        key for key in set(told["unexpected_keys"]) - apart if key.startswith(prefix) and not key.endswith(HARMLESS)
    )
    if unread:
        raise ModelUnavailable(f"the checkpoint has {', '.join(unread[:4])}, for which its configuration has no place")
    return model


def _settle_attention(entry: ModelEntry, network: Network) -> None:
    """Packs and pads where the architecture says then what it says alone, and sees that its head is read rightly."""
    with torch.inference_mode():
        if network.labels is not None and not reads_alike(network):
            network.labels = None
        elif network.says == "next" and not reads_alike(network):
            raise ModelUnavailable("it changes its logits after the last projection in a way that is not known here")
        wholly = network.labels is None and network.says != "next"
        if not wholly and entry.attention in ("auto", "packed"):
            network.packed = runs_packed(network)
        network.pads_left = network.says == "next" and writes_padded(network)
        network.shares_beginnings = network.pads_left and shares_beginnings(network)
    if entry.attention == "packed" and not network.packed:
        raise ModelUnavailable("its architecture does not run packed: use auto, sdpa or eager as its attention")


def _device(entry: ModelEntry) -> torch.device:
    if entry.device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if entry.device.startswith("cuda") and not torch.cuda.is_available():
        raise ModelUnavailable(f"it is to run on {entry.device}, and there is no such device")
    return torch.device(entry.device)


def _dtype(entry: ModelEntry, config: PretrainedConfig, device: torch.device) -> torch.dtype:
    """``auto`` is the configuration's own on a GPU, and float32 on a CPU, where half precision saves no time."""
    if entry.dtype != "auto":
        return {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}[entry.dtype]
    return (config.dtype or torch.bfloat16) if device.type == "cuda" else torch.float32


def _limit(entry: ModelEntry, config: PretrainedConfig, tokenizer: PreTrainedTokenizerBase) -> int:
    """The longest text in tokens: the entry's, or all that positions and tokenizer allow."""
    positions = getattr(config.get_text_config(), "max_position_embeddings", None)
    most = min(int(positions or tokenizer.model_max_length), int(tokenizer.model_max_length))
    if entry.max_tokens is not None and entry.max_tokens > most:
        raise ModelUnavailable(f"the entry allows {entry.max_tokens} tokens, and the model takes {most}")
    return entry.max_tokens or most

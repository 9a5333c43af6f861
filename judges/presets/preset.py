"""One preset, read from its folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from judges.presets.slots import Mechanism, find_unfilled, usual

if TYPE_CHECKING:
    from judges.asking.prompt import PromptFile
    from judges.asking.reply import Form

MetadataName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
Spec = TypeVar("Spec", bound=BaseModel)


class Head(BaseModel):
    """``preset.yaml``. ``needs`` are slots that the sample must fill beside the response, ``metadata`` names of its
    metadata that it must have for slots such as ``metadata.persona``; ``judgement`` is read by the mechanism.
    ``content``: an answer has content, whatever the question; so what says nothing is none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mechanism: Mechanism
    version: Annotated[str, Field(pattern=r"^[0-9]{1,6}$")]
    summary: Annotated[str, Field(min_length=1, max_length=200)]
    source: str = ""
    experimental: bool = False
    needs: tuple[Literal["prompt", "reference", "principle", "documents", "criteria"], ...] = ("prompt",)
    metadata: tuple[MetadataName, ...] = ()
    content: bool = False
    judgement: dict[str, JsonValue] = {}


@dataclass(frozen=True)
class Preset:
    """``prompts`` and ``forms`` are by the names of their files."""

    name: str
    head: Head
    files: Mapping[str, str]
    prompts: Mapping[str, PromptFile]
    forms: Mapping[str, Form]

    @classmethod
    def read(cls, folder: Path) -> Preset:
        """From its folder, whose name is its own. Raises ValueError with what is wrong."""
        files = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir()) if path.is_file()}
        return cls.of(folder.name, files)

    @classmethod
    def of(cls, name: str, files: Mapping[str, str]) -> Preset:
        """From its files' texts by their names. Raises ValueError with what is wrong."""
        import yaml

        from judges.asking.prompt import PromptFile
        from judges.asking.reply import Form

        try:
            head = Head.model_validate(yaml.safe_load(files["preset.yaml"]))
            prompts = {
                file.removesuffix(".md"): PromptFile(text) for file, text in files.items() if file.endswith(".md")
            }
            forms = {
                file.removesuffix(".json"): Form(json.loads(text))
                for file, text in files.items()
                if file.endswith(".json")
            }
            for file, prompt in prompts.items():
                if lacking := find_unfilled(head.mechanism, head.needs, head.metadata, prompt.source):
                    known = ", ".join(usual(head.mechanism, head.needs, head.metadata))
                    raise ValueError(f"{file}.md has slots that nothing fills: {', '.join(lacking)}; known: {known}")
        except KeyError as missing:
            raise ValueError(f"the preset in {name} cannot be used: it has no {missing.args[0]}") from missing
        except (ValidationError, yaml.YAMLError, ValueError, RecursionError) as wrong:
            raise ValueError(f"the preset in {name} cannot be used: {wrong}") from wrong
        return cls(name, head, files, prompts, forms)

    @cached_property
    def hash(self) -> str:
        """``sha256:`` of the folder's files."""
        return "sha256:" + hashlib.sha256(json.dumps(dict(self.files), sort_keys=True).encode()).hexdigest()

    @property
    def stamp(self) -> str:
        """Name, version and the beginning of the hash: what a producer's version ends with."""
        return f"{self.name}-{self.head.version}-{self.hash.removeprefix('sha256:')[:8]}"

    def prompt(self, name: str = "prompt") -> PromptFile:
        """Raises KeyError without such a file."""
        return self.prompts[name]

    def form(self, name: str = "reply") -> Form:
        """Likewise."""
        return self.forms[name]

    def judgement(self, kind: type[Spec]) -> Spec:
        """What is made of the reply. Raises ValueError."""
        return kind.model_validate(self.head.judgement)


def make_name_validator(mechanism: Mechanism) -> Callable[[str], str]:
    """A validator of parameters: the name of a preset of this mechanism."""

    def checked(name: str) -> str:
        from judges.presets.library import find, names

        if name not in names(mechanism):
            raise ValueError(f"there is no {mechanism} preset {name[:100]!r}; known: {', '.join(names(mechanism))}")
        find(name)
        return name

    return checked

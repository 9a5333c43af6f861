"""Presets: what a judge asks, as folders without code.

A folder has ``preset.yaml`` (mechanism, version, what is made of the reply), ``prompt.md`` (further prompts beside it)
and ``reply.json``, the JSON Schema of the reply. Its hash is that of all its files. See docs/judges.md.
"""

from judges.presets.library import add_folder, find, keep, names
from judges.presets.preset import Preset, make_name_validator
from judges.presets.slots import Mechanism

__all__ = ["Mechanism", "Preset", "add_folder", "find", "keep", "make_name_validator", "names"]

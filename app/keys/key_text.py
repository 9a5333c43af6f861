"""The text of a key: ``tw_<prefix>_<secret>_<check>``.

The prefix (8 characters) is public: it finds the key, and stands for it in lists and logs. The secret has 33 random
characters of 62, 196 bits. The check (6 characters) is the CRC-32 of what is before it: a key that was mistyped or cut
off is refused without asking the database, and a scanner of secrets can tell a key from a text that looks like one.
Keys of before had ``tw_`` and 32 random characters, and are found by their digest.
"""

from __future__ import annotations

import re
import secrets
import string
import zlib

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_PREFIX, _SECRET, _CHECK = 8, 33, 6
_FORM = re.compile(rf"(tw_([0-9A-Za-z]{{{_PREFIX}}})_[0-9A-Za-z]{{{_SECRET}}})_([0-9A-Za-z]{{{_CHECK}}})", re.ASCII)
_OLD_FORM = re.compile(r"tw_[\w-]{32}", re.ASCII)


def new_key() -> tuple[str, str]:
    """The text of a new key, and its prefix."""
    prefix = _random(_PREFIX)
    body = f"tw_{prefix}_{_random(_SECRET)}"
    return f"{body}_{_check(body)}", prefix


def prefix_of(key: str) -> str | None:
    """The prefix of a key whose check is right; None for any other text."""
    form = _FORM.fullmatch(key)
    return form[2] if form is not None and _check(form[1]) == form[3] else None


def is_old(key: str) -> bool:
    """Whether a text may be a key of before there were prefixes."""
    return _OLD_FORM.fullmatch(key) is not None


def _random(length: int) -> str:
    return "".join(secrets.choice(_ALPHABET) for _ in range(length))


def _check(body: str) -> str:
    value, characters = zlib.crc32(body.encode()), ""
    for _ in range(_CHECK):
        value, place = divmod(value, len(_ALPHABET))
        characters = _ALPHABET[place] + characters
    return characters

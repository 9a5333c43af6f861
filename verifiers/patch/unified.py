"""Unified diffs applied to files held in memory: strict about what they name and what they expect to find.

Git's headers are read (new, deleted and renamed files, modes); binary patches, symbolic links, submodules, absolute
paths, ``..`` and git's own folder are refused. The lines that a hunk expects have to be there, to the last blank: at
its stated line, else at the only place after the hunk before it (language models miscount). The counts of a hunk's
header have to be those of its body. Linear in the sizes of the files times the number of hunks, both bounded.

Not covered: combined diffs, files that are not text, a mode's executable bit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from verifiers.patch.edits import LARGEST, Files, PatchError
from verifiers.patch.path import defect

MOST_HUNKS = 500

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_ODD_MODES = re.compile(r"(?:new file |deleted file |new |old )?mode (?:120000|160000)|index \S+ (?:120000|160000)")
_GIT = "diff --git "
_EMPTY = ("new file mode ", "deleted file mode ")
"""Headers that say all of a file without a line."""
_LINE_END = re.compile("\n")
_NO_NEWLINE = "\\ No newline"


@dataclass(slots=True)
class Hunk:
    """Lines to find and lines to put in their place, each with its end; ``line`` counts from 1."""

    line: int
    before: str
    after: str


@dataclass(slots=True)
class FilePatch:
    """The change of one file: None as old path creates it, None as new path deletes it."""

    old: str | None
    new: str | None
    hunks: list[Hunk] = field(default_factory=list)

    @property
    def name(self) -> str:
        """For people."""
        return (self.new or self.old or "")[:100]


def apply_diff(text: str, files: Files) -> dict[str, str | None]:
    """The files that a diff changes, as they are afterwards; None: deleted. Raises :class:`PatchError`."""
    changed: dict[str, str | None] = {}
    patches = read_diff(text)
    sizes = 0
    if len(patches) + sum(len(patch.hunks) for patch in patches) > MOST_HUNKS:
        raise PatchError("patch_too_large", f"the diff has more than {MOST_HUNKS} files and hunks")
    for patch in patches:
        content = _patched(_present(patch, files, changed), patch)
        sizes += len(content)
        if sizes > LARGEST:
            raise PatchError("patch_too_large", f"the files that result have more than {LARGEST} characters")
        if patch.new is None and content:
            raise PatchError("patch_does_not_apply", f"{patch.name} is to be deleted and is not empty then")
        if patch.old is not None:
            changed[patch.old] = None
        if patch.new is not None:
            changed[patch.new] = content
    return changed


def read_diff(text: str) -> list[FilePatch]:
    """The files of a diff. Raises :class:`PatchError`."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    found = list(_files(lines))
    if not found:
        raise PatchError("no_edits", "there is no unified diff")
    return found


def _files(lines: list[str]) -> Iterator[FilePatch]:
    at = 0
    renamed: dict[str, str] = {}
    named: str | None = None
    empty: FilePatch | None = None
    while at < len(lines):
        line = lines[at]
        if line.startswith(_GIT):
            if empty is not None:
                yield empty
            named, empty = _named(line), None
        if _ODD_MODES.match(line) or line.startswith(("GIT binary patch", "Binary files ")):
            raise PatchError("unsupported_patch", "symbolic links, submodules and binary files cannot be patched")
        if line.startswith(_EMPTY) and named is not None:
            empty = FilePatch(None, named) if line.startswith("new") else FilePatch(named, None)
        elif line.startswith("rename from "):
            renamed["from"] = _checked(line.removeprefix("rename from "))
        elif line.startswith("rename to "):
            renamed["to"] = _checked(line.removeprefix("rename to "))
        elif line.startswith("--- ") and lines[at + 1 : at + 2] and lines[at + 1].startswith("+++ "):
            patch = FilePatch(_path(line[4:], "a/"), _path(lines[at + 1][4:], "b/"))
            at, patch.hunks = _hunks(lines, at + 2)
            renamed, named, empty = {}, None, None
            yield patch
            continue
        elif line.startswith("@@ "):
            raise PatchError("patch_malformed", "a hunk stands outside of any file")
        at += 1
        if len(renamed) == 2 and not _rename_has_body(lines, at):
            yield FilePatch(renamed["from"], renamed["to"])
            renamed = {}
    if empty is not None:
        yield empty


def _named(line: str) -> str | None:
    """The file of a header that names one, once on either side."""
    both = line.removeprefix(_GIT).rstrip()
    old, new = both[: len(both) // 2], both[len(both) // 2 + 1 :]
    return _checked(new[2:]) if old[:2] == "a/" and new[:2] == "b/" and old[2:] == new[2:] else None


def _rename_has_body(lines: list[str], at: int) -> bool:
    """Whether hunks follow the header of a rename: they then say it all."""
    while at < len(lines) and lines[at].startswith("index "):
        at += 1
    return at < len(lines) and lines[at].startswith("--- ")


def _hunks(lines: list[str], at: int) -> tuple[int, list[Hunk]]:
    found: list[Hunk] = []
    while at < len(lines) and (header := _HUNK.match(lines[at])):
        old, new = int(header[2] or 1), int(header[4] or 1)
        before: list[str] = []
        after: list[str] = []
        at += 1
        while old > 0 or new > 0:
            if at >= len(lines):
                raise PatchError("patch_malformed", "a hunk is shorter than its header says")
            mark, rest = lines[at][:1] or " ", lines[at][1:] + "\n"
            at += 1
            if at < len(lines) and lines[at].startswith(_NO_NEWLINE):
                rest = rest[:-1]
                at += 1
            if mark not in " +-":
                raise PatchError("patch_malformed", "a line of a hunk begins with none of blank, + and -")
            if mark != "+":
                before.append(rest)
                old -= 1
            if mark != "-":
                after.append(rest)
                new -= 1
        if old or new:
            raise PatchError("patch_malformed", "a hunk is longer than its header says")
        found.append(Hunk(int(header[1]), "".join(before), "".join(after)))
    if not found:
        raise PatchError("patch_malformed", "a file of the diff has no hunk")
    if at < len(lines) and lines[at][:1] in ("+", "-", " ") and not lines[at].startswith(("--- ", "-- ")):
        raise PatchError("patch_malformed", "a hunk is longer than its header says")
    return at, found


def _present(patch: FilePatch, files: Files, changed: Mapping[str, str | None]) -> str:
    """The content that a file's change starts from."""

    def now(path: str) -> str | None:
        return changed.get(path, files.get(path))

    if patch.new not in (None, patch.old) and now(patch.new or "") is not None:
        raise PatchError("patch_does_not_apply", f"{patch.name} is to be created and is there already")
    if patch.old is None:
        return ""
    content = now(patch.old)
    if content is None:
        raise PatchError("patch_does_not_apply", f"there is no file {patch.old[:100]}")
    return content


def _patched(content: str, patch: FilePatch) -> str:
    starts = [0, *(end.end() for end in _LINE_END.finditer(content))]
    pieces: list[str] = []
    at = 0
    for hunk in patch.hunks:
        # a hunk that expects no line names the one after which it inserts
        number = hunk.line - bool(hunk.before)
        start = starts[number] if 0 <= number < len(starts) else None
        if start is None or start < at or not _fits(content, start, hunk.before):
            start = _only_place(content, at, hunk.before)
        if start is None:
            raise PatchError("patch_does_not_apply", f"{patch.name} lacks the lines that a hunk expects at {hunk.line}")
        pieces += [content[at:start], hunk.after]
        at = start + len(hunk.before)
    return "".join([*pieces, content[at:]])


def _fits(content: str, start: int, before: str) -> bool:
    return content.startswith(before, start) and (_whole(before) or start + len(before) == len(content))


def _only_place(content: str, at: int, before: str) -> int | None:
    """The only place from ``at`` on, itself a line's beginning, where the lines are; None where there are more."""
    if not before:
        return None
    if not _whole(before):
        start = len(content) - len(before)
        return start if start >= at and ("\n" + content).endswith("\n" + before) else None
    places = [at] if content.startswith(before, at) else []
    start = at
    while len(places) < 2 and (start := content.find("\n" + before, start) + 1) > 0:
        places.append(start)
    return places[0] if len(places) == 1 else None


def _whole(lines: str) -> bool:
    """Whether the last of the lines has its newline."""
    return not lines or lines.endswith("\n")


def _path(text: str, prefix: str) -> str | None:
    name = text.split("\t")[0].rstrip()
    if name == "/dev/null":
        return None
    return _checked(name.removeprefix(prefix))


def _checked(path: str) -> str:
    if problem := defect(path):
        raise PatchError("bad_path", f"the path {path[:100]!r} cannot be patched: {problem}")
    return path

"""Unified diffs: whatever difflib and git write is applied, and nothing else."""

from __future__ import annotations

import difflib
import subprocess
import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifiers.patch.edits import PatchError
from verifiers.patch.unified import apply_diff

TEXT = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", " d\n", "-e\n", "+f\n", "@@ -1 +1 @@\n"]), max_size=25).map(
    "".join
)
FILES = {"f.txt": "a\nb\nc\n", "dir/g.txt": "x\n"}


def changed(*lines: str, files: dict[str, str] = FILES) -> dict[str, str | None]:
    return apply_diff("\n".join(lines) + "\n", files)


@given(before=TEXT, after=TEXT, context=st.integers(0, 4))
@settings(max_examples=200, deadline=None)
def test_a_diff_by_difflib_gives_the_second_text(before: str, after: str, context: int) -> None:
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), "a/f", "b/f", n=context)
    text = "".join(lines)
    assert (apply_diff(text, {"f": before})["f"] if text else before) == after


def git(folder: Path, *arguments: str) -> str:
    options = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.hooksPath=/dev/null"]
    done = subprocess.run(["git", *options, *arguments], cwd=folder, capture_output=True, check=True, text=True)
    return done.stdout


def test_a_diff_by_git_gives_the_second_tree(tmp_path: Path) -> None:
    before = {"kept.txt": "1\n2\n3\n", "moved.txt": "same\n" * 9, "gone.txt": "bye\n", "tail.txt": "a\nb"}
    after = {
        "kept.txt": "1\ntwo\n3\n4\n",
        "sub/new name.txt": "same\n" * 8 + "other\n",
        "made.txt": "hi",
        "tail.txt": "a\nb\n",
    }
    git(tmp_path, "init", "-q")
    for name, text in before.items():
        (tmp_path / name).write_text(text)
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "before")
    for name in before:
        (tmp_path / name).unlink()
    for name, text in after.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    git(tmp_path, "add", "-A")
    diff = git(tmp_path, "diff", "--cached", "-M")
    result = {**before, **apply_diff(diff, before)}
    assert {name: text for name, text in result.items() if text is not None} == after


def test_lines_are_found_where_the_number_is_wrong_but_the_place_is_the_only_one() -> None:
    assert changed("--- a/f.txt", "+++ b/f.txt", "@@ -9,2 +9,2 @@", " b", "-c", "+C")["f.txt"] == "a\nb\nC\n"


def test_lines_that_fit_in_two_places_need_the_right_number() -> None:
    files = {"f": "a\nb\na\nb\n"}
    with pytest.raises(PatchError):
        changed("--- a/f", "+++ b/f", "@@ -9 +9 @@", "-b", "+B", files=files)
    assert changed("--- a/f", "+++ b/f", "@@ -4 +4 @@", "-b", "+B", files=files)["f"] == "a\nb\na\nB\n"


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["hello"], "no_edits"),
        (["--- a/f.txt", "+++ b/f.txt"], "patch_malformed"),
        (["--- a/f.txt", "+++ b/f.txt", "@@ -1,3 +1,3 @@", " a", "-b", "+B"], "patch_malformed"),
        (["--- a/f.txt", "+++ b/f.txt", "@@ -1 +1 @@", "-a", "+A", "+Z"], "patch_malformed"),
        (["--- a/f.txt", "+++ b/f.txt", "@@ -1 +1 @@", "*a", "+A"], "patch_malformed"),
        (["@@ -1 +1 @@", "-a", "+A"], "patch_malformed"),
        (["--- a/f.txt", "+++ b/f.txt", "@@ -1 +1 @@", "-A", "+B"], "patch_does_not_apply"),
        (["--- a/f.txt", "+++ b/f.txt", "@@ -1 +1 @@", "-a ", "+B"], "patch_does_not_apply"),
        (["--- a/none.txt", "+++ b/none.txt", "@@ -1 +1 @@", "-a", "+B"], "patch_does_not_apply"),
        (["--- /dev/null", "+++ b/f.txt", "@@ -0,0 +1 @@", "+a"], "patch_does_not_apply"),
        (["--- a/f.txt", "+++ /dev/null", "@@ -1 +0,0 @@", "-a"], "patch_does_not_apply"),
        (["--- /dev/null", "+++ b/../f", "@@ -0,0 +1 @@", "+a"], "bad_path"),
        (["--- /dev/null", "+++ b/x/../../f", "@@ -0,0 +1 @@", "+a"], "bad_path"),
        (["--- /dev/null", "+++ /etc/passwd", "@@ -0,0 +1 @@", "+a"], "bad_path"),
        (["--- /dev/null", "+++ b/.git/config", "@@ -0,0 +1 @@", "+a"], "bad_path"),
        (["--- /dev/null", "+++ b/x/.GIT/config", "@@ -0,0 +1 @@", "+a"], "bad_path"),
        (["--- /dev/null", "+++ b/c:\\x", "@@ -0,0 +1 @@", "+a"], "bad_path"),
        (["--- /dev/null", "+++ b/a\x00b", "@@ -0,0 +1 @@", "+a"], "bad_path"),
        (["--- /dev/null", "+++ b/" + "d/" * 40 + "f", "@@ -0,0 +1 @@", "+a"], "bad_path"),
        (["diff --git a/f.txt b/../x", "rename from f.txt", "rename to ../x"], "bad_path"),
        (
            ["diff --git a/l b/l", "new file mode 120000", "--- /dev/null", "+++ b/l", "@@ -0,0 +1 @@", "+/"],
            "unsupported_patch",
        ),
        (["diff --git a/s b/s", "new file mode 160000"], "unsupported_patch"),
        (["diff --git a/x b/x", "GIT binary patch"], "unsupported_patch"),
    ],
)
def test_what_is_refused_has_its_code(lines: list[str], code: str) -> None:
    with pytest.raises(PatchError) as refused:
        changed(*lines)
    assert refused.value.reason_code == code


@pytest.mark.parametrize("hunk", ["@@ -1 +1 @@\n-a\n+b\n", "@@ -9999 +1 @@\n-b\n+b\n", "@@ -1,0 +1 @@\n+b\n"])
def test_many_hunks_end_soon(hunk: str) -> None:
    files = {"f": "a\n" * 200_000 + "b\n"}
    began = time.perf_counter()
    with pytest.raises(PatchError):
        apply_diff("--- a/f\n+++ b/f\n" + hunk * 5_000, files)
    for count in (1, 400):
        try:
            apply_diff("--- a/f\n+++ b/f\n" + hunk * count, files)
        except PatchError:
            continue
    assert time.perf_counter() - began < 5


def test_one_long_hunk_is_read_in_linear_time() -> None:
    began = time.perf_counter()
    made = apply_diff("--- /dev/null\n+++ b/f\n@@ -0,0 +1,90000 @@\n" + "+\n" * 90_000, {})
    assert made["f"] == "\n" * 90_000
    assert time.perf_counter() - began < 2


CONTENTS = ["", "a\n", "a\nb\nc\n", "a\nc\n", "no end", "x\n" * 9]
NAMES = ["a.py", "p/__init__.py", "p/q/__init__.py", "two words.txt", "b/b.txt"]


@pytest.mark.parametrize("seed", range(12))
def test_trees_with_empty_files_become_what_git_says(tmp_path: Path, seed: int) -> None:
    draw = Random(seed)
    before, after = ({name: draw.choice(CONTENTS) for name in NAMES if draw.random() < share} for share in (0.6, 0.7))
    git(tmp_path, "init", "-q")
    for tree, other in ((before, {}), (after, before)):
        for name in other:
            (tmp_path / name).unlink()
        for name, text in tree.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        git(tmp_path, "add", "-A")
        if not other:
            git(tmp_path, "commit", "-qm", "before", "--allow-empty")
    for option in ("--no-renames", "-M"):
        diff = git(tmp_path, "diff", "--cached", option)
        if diff:
            found = {**before, **apply_diff(diff, before)}
            assert {name: text for name, text in found.items() if text is not None} == after, diff


def test_a_header_alone_says_which_empty_file_is_made() -> None:
    assert changed("diff --git a/p/x.py b/p/x.py", "new file mode 100644") == {"p/x.py": ""}
    assert changed("diff --git a/e b/e", "deleted file mode 100644", files={"e": ""}) == {"e": None}
    for bad in ("a/../x b/../x", "a/.git/x b/.git/x"):
        with pytest.raises(PatchError, match="cannot be patched"):
            changed(f"diff --git {bad}", "new file mode 100644")
    with pytest.raises(PatchError, match="not empty"):
        changed("diff --git a/f.txt b/f.txt", "deleted file mode 100644")
    with pytest.raises(PatchError, match="already"):
        changed("diff --git a/f.txt b/f.txt", "new file mode 100644")

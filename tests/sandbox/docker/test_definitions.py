"""What the image and the seccomp profile say, without an engine."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

from sandbox.languages import languages

ROOT = Path(__file__).parents[3]


def test_the_image_has_the_packages_of_the_languages_that_ci_runs() -> None:
    dockerfile = (ROOT / "sandbox/images/Dockerfile").read_text()
    found = re.search(r'^ARG PACKAGES="(.*)"$', dockerfile, re.MULTILINE)
    assert found is not None
    wanted = {package for language in languages().values() if language.tier == "ci" for package in language.packages}
    assert set(found[1].split()) == wanted


def test_the_profile_denies_by_default() -> None:
    profile = json.loads((ROOT / "sandbox/docker/seccomp.json").read_text())
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    allowed = [rule for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW"]
    free = {name for rule in allowed if "args" not in rule for name in rule["names"]}
    families = [rule["args"] for rule in allowed if "socket" in rule["names"]]
    assert families == [[{"index": 0, "value": socket.AF_UNIX, "op": "SCMP_CMP_EQ"}]]
    assert not free & {
        "socket",
        "socketpair",
        "clone",
        "clone3",
        "ptrace",
        "unshare",
        "setns",
        "prlimit64",
        "setpriority",
    }

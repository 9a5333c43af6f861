"""What of the kernel's isolation this host grants, each with what to do where it lacks."""

from __future__ import annotations

from dataclasses import dataclass

_MENDING = {
    "mounts": "run as root, or allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, "
    "user.max_user_namespaces above 0, kernel.apparmor_restrict_unprivileged_userns=0; in a container, "
    "--security-opt seccomp=unconfined --security-opt apparmor=unconfined",
    "network": "allow network namespaces (user.max_net_namespaces)",
    "root": "Linux 5.12 or newer, and mounts allowed within user namespaces",
    "seccomp": "a kernel with seccomp filters, on x86_64 or aarch64",
    "processes": "allow pid namespaces (user.max_pid_namespaces)",
    "proc": "an unmasked /proc; in a container, --security-opt systempaths=unconfined",
    "separate users": "run as root, else programs share the service's user id behind their namespace",
    "separate files": "run as root, with overlay file systems (CONFIG_OVERLAY_FS) on a /usr that is not two of them; "
    "till then programs can tell each other by locks on the files named here, and lock those of the host",
    "load figures": "seccomp listeners (Linux 5.0; none but ours); till then sysinfo(2) tells programs the host's load",
    "process ids": "a kernel with CONFIG_CHECKPOINT_RESTORE; till then programs see how many processes ran before them",
    "memory groups": "run as root, or delegate the memory and pids controllers; till then memory is watched instead",
    "process groups": "run as root, or delegate the memory and pids controllers; till then RLIMIT_NPROC alone counts",
}


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature; ``detail`` is empty where it is present, else why it is not and how to mend it."""

    name: str
    present: bool
    detail: str = ""


def feature(name: str, error: str | None) -> Feature:
    """A feature that is there (None) or lacks for that reason."""
    if error is None:
        return Feature(name, True)
    return Feature(name, False, f"{error}; {_MENDING[name]}" if error else _MENDING[name])

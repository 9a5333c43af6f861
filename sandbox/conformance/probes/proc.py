"""What /proc and /sys tell and let do. Arguments: ids of processes on the host."""

import os
import sys
from contextlib import suppress
from pathlib import Path

seen = {int(folder.name) for folder in Path("/proc").glob("[0-9]*")}
commands = {}
for pid in seen:
    with suppress(OSError):
        commands[pid] = Path(f"/proc/{pid}/cmdline").read_bytes()
hosts = [pid for pid in map(int, sys.argv[1:]) if commands.get(pid, b"").startswith(b"sleep\x003600")]
if hosts:
    print(f"processes of the host are in /proc: {hosts}")

found = set()
for pid in seen - {os.getpid()}:
    for name in ("mem", "environ", "maps", "syscall", "stack"):
        with suppress(OSError), open(f"/proc/{pid}/{name}", "rb", 0) as file:
            if name != "mem" and not file.read(1):
                continue
            found.add(f"{name} of another process can be read")
    with suppress(OSError):
        os.listdir(f"/proc/{pid}/fd")
        found.add("fd of another process can be listed")
    for name in ("root", "cwd"):
        with suppress(OSError):
            os.stat(f"/proc/{pid}/{name}/.")  # to list it would be an event for a run that watches its own root
            found.add(f"{name} of another process can be entered")
for line in sorted(found):
    print(line)

WRITABLE = (
    "/proc/sysrq-trigger",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/fs/binfmt_misc/register",
    "/proc/sys/net/ipv4/ip_forward",
    "/proc/irq/0/smp_affinity",
    "/sys/kernel/uevent_helper",
    "/sys/power/state",
    "/sys/fs/cgroup/cgroup.procs",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    "/sys/fs/cgroup/memory/release_agent",
)
for path in WRITABLE:
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY))
        print(f"{path} can be written")
for path in ("/proc/kcore", "/proc/kmsg", "/sys/kernel/debug/tracing", "/sys/firmware/efi/efivars"):
    with suppress(OSError):
        if os.path.isdir(path):
            if os.listdir(path):
                print(f"{path} can be listed")
            continue
        with open(path, "rb", 0) as file:
            os.set_blocking(file.fileno(), False)
            if file.read(16):
                print(f"{path} can be read")
with suppress(OSError):
    folder = "/sys/fs/cgroup"
    for top in (folder, *(os.path.join(folder, entry) for entry in os.listdir(folder))):
        with suppress(OSError):
            os.mkdir(os.path.join(top, "trueward-write-test"))
            os.rmdir(os.path.join(top, "trueward-write-test"))
            print(f"a control group can be made in {top}")
print("end")

"""What /proc and /sys tell of the host's load and of other programs. Argument: a folder of the service, reversed."""

import os
import sys
from contextlib import suppress
from pathlib import Path

service = sys.argv[1][::-1]
COUNTERS = (
    "loadavg uptime stat meminfo vmstat diskstats interrupts softirqs schedstat locks zoneinfo buddyinfo pagetypeinfo "
    "slabinfo vmallocinfo timer_list swaps partitions keys key-users kmsg kallsyms modules sched_debug "
    "pressure/cpu pressure/memory pressure/io sysvipc/shm sysvipc/msg sysvipc/sem sys/fs/file-nr sys/fs/inode-nr "
    "sys/fs/dentry-state sys/kernel/ns_last_pid sys/kernel/random/boot_id fs/jbd2"
)
PLACES = [f"/proc/{name}" for name in COUNTERS.split()]
PLACES += ["/sys/devices/system/node/node0/meminfo", "/sys/devices/system/node/node0/vmstat", "/sys/kernel/slab"]
PLACES += [*map(str, Path("/sys/block").glob("*/stat")), *map(str, Path("/sys/class/net").glob("*/statistics"))]
for path in PLACES:
    with suppress(OSError):
        if os.path.isdir(path):
            if os.listdir(path):
                print(f"{path} can be listed")
            continue
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        if os.read(file, 16):
            print(f"{path} can be read")
with suppress(OSError):
    if any(os.getloadavg()):
        print(f"the load is {os.getloadavg()}")

for folder in Path("/proc").glob("[0-9]*"):
    with suppress(OSError):
        command = (folder / "cmdline").read_bytes().decode(errors="replace")
        if service in command or "trueward" in command:
            print(f"a command line names the service: {command[:80]!r}")
print("end")

"""What can be read of the host, and what can be written. Arguments: the path of a host's secret, its text reversed."""

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

secret_path, reversed_secret = sys.argv[1:]
OWN = {os.getcwd(), "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/lock"}
own_device = os.stat(".").st_dev if os.stat(".").st_dev != os.stat("/").st_dev else None
name = "trueward-write-test"


def holds_secret(path: str) -> bool:
    with suppress(OSError), open(path, errors="replace") as file:
        return file.read(4096).strip()[::-1] == reversed_secret
    return False


ways = [secret_path, f"/proc/1/root{secret_path}", f"/proc/1/cwd{secret_path}", f"/host{secret_path}"]
ways += [f"{folder}/root{secret_path}" for folder in map(str, Path("/proc").glob("[0-9]*"))]
ways += ["../" * 16 + secret_path.lstrip("/")]
if open_ways := [way for way in ways if holds_secret(way)]:
    print(f"a file of the host can be read as {open_ways[0]}")

for path in ("/etc/shadow", "/etc/gshadow", "/etc/ssh/ssh_host_ed25519_key", "/var/lib/docker"):
    if os.access(path, os.R_OK):
        print(f"{path} can be read")
for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/systemd/private"):
    if os.path.exists(path):
        print(f"{path} is there")

for folder, folders, files in os.walk("/", followlinks=False):
    if folder in ("/proc", "/sys", "/usr") or folder.count("/") > 2:
        folders.clear()
        continue
    for entry in (*files, *folders):
        path = os.path.join(folder, entry)
        with suppress(OSError):
            mode = os.lstat(path).st_mode
            if stat.S_ISBLK(mode) and os.access(path, os.R_OK):
                print(f"the disk {path} can be read")
    if folder in OWN or folder.startswith("/proc"):
        continue
    with suppress(OSError):
        if os.stat(folder).st_dev == own_device:  # the file system of its own places
            continue
        path = os.path.join(folder, name)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        os.unlink(path)
        print(f"{folder} can be written")

for path in ("/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/port", "/dev/fuse", "/dev/kvm", "/dev/loop-control"):
    with suppress(OSError):
        os.close(os.open(path, os.O_RDONLY))
        print(f"the device {path} can be opened")
for path in ("/bin/sh", "/usr/bin/env", sys.executable, os.__file__, "/etc/passwd", "/opt/trueward"):
    with suppress(OSError, ValueError):
        if os.path.isfile(path):
            os.close(os.open(path, os.O_WRONLY))
            print(f"{path} can be changed")
    with suppress(OSError):
        os.chmod(path, stat.S_IMODE(os.stat(path).st_mode))  # to what it is: harmless where it works
        print(f"the mode of {path} can be changed")
print("end")

"""Leaves files of every kind to be fetched. Arguments: the path of a host's secret."""

import os
import sys
from contextlib import suppress
from pathlib import Path

secret_file = Path(sys.argv[1])
Path("good.bin").write_bytes(bytes(range(256)))
Path("sub").mkdir()
Path("sub/deep.txt").write_text("deep")
Path("empty.txt").touch()
Path("link.txt").symlink_to(secret_file)
Path("passwd.txt").symlink_to("/etc/passwd")
Path("inner.txt").symlink_to("good.bin")
Path("way").symlink_to(secret_file.parent)
Path("etc").symlink_to("/etc")
Path("zero").symlink_to("/dev/zero")
Path("folder").mkdir()
with suppress(OSError):
    os.mkfifo("pipe")
Path("closed.txt").write_text("closed")
Path("closed.txt").chmod(0)
with suppress(OSError), open("large.bin", "wb") as large:
    large.truncate(2**21)
    large.truncate(2**40)  # without a block on disk, where that is allowed
with suppress(OSError):
    os.link("/etc/passwd", "hard.txt")
Path("locked").mkdir()
Path("locked/inside").touch()
Path("locked").chmod(0)

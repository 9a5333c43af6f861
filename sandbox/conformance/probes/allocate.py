"""Uses memory, page by page. Arguments: how (private, shared, children), MiB altogether. Writes ``held`` at the end."""

import mmap
import os
import signal
import sys

how, amount = sys.argv[1], int(sys.argv[2])
MIB = 2**20


def take(mib: int) -> list[bytearray | mmap.mmap]:
    blocks: list[bytearray | mmap.mmap] = []
    for _ in range(mib // 8):
        block = mmap.mmap(-1, 8 * MIB) if how == "shared" else bytearray(8 * MIB)
        for page in range(0, 8 * MIB, mmap.PAGESIZE):
            block[page] = 1
        blocks.append(block)
    return blocks


if how == "children":
    reading, writing = os.pipe()
    over, never = os.pipe()
    held = 0

    def give_up(*_: object) -> None:
        """One of them has ended before its time."""
        os.write(1, f"{held} of 8 children held theirs\n".encode())
        os._exit(1)

    signal.signal(signal.SIGCHLD, give_up)
    for _ in range(8):
        if os.fork() == 0:
            os.close(never)
            blocks = take(amount // 8)
            os.write(writing, b"x")
            os.read(over, 1)
            os._exit(0)
    while held < 8 and os.read(reading, 1):
        held += 1
    print("held", flush=True)
    os._exit(0)
blocks = take(amount)
print("held")

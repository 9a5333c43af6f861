"""Uses memory, page by page. Arguments: how (private, shared, children), MiB altogether. Writes ``held`` at the end."""

import mmap
import os
import sys
import time

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
    for _ in range(8):
        if os.fork() == 0:
            blocks = take(amount // 8)
            os.write(writing, b"x")
            time.sleep(5)
            os._exit(0)
    os.close(writing)
    held = 0
    while held < 8 and os.read(reading, 1):
        held += 1
    print("held" if held == 8 else f"{held} of 8 children held theirs")
    sys.exit(held < 8)
blocks = take(amount)
print("held")

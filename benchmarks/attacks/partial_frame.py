"""Announces a long frame and sends a part of it, then nothing, holding all ends open."""
import os, time
def part():
    for fd in range(1, 12):
        for head in (b"\0\xff\xff\xff{", b"\xff\xff\xff\xff", b"\0\0\0\0", b"\0\0\0\1{"):
            try: os.write(fd, head)
            except OSError: pass
    time.sleep(100)
def answer(a, b): part()
part()

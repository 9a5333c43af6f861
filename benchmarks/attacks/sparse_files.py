"""Files that are terabytes long and hold nothing, mapped into memory."""
import mmap
import os


def go():
    fd = os.open("big", os.O_RDWR | os.O_CREAT)
    for size in (2**40, 2**36, 2**33):
        try:
            os.ftruncate(fd, size)
            m = mmap.mmap(fd, 2**26)
            for i in range(0, 2**26, 4096):
                m[i] = 1
            break
        except (OSError, ValueError):
            pass


def answer(a, b):
    go()
    return 0


go()

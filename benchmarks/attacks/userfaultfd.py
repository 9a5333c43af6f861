"""Asks for memory whose faults nobody serves, for io_uring and for watches of the kernel, by raw calls."""
import ctypes

libc = ctypes.CDLL(None, use_errno=True)


def calls():
    for number in (323, 425, 426, 427, 321, 298, 250, 248, 313, 175, 246, 320, 434, 438, 440, 441, 447, 448, 449, 450, 451, 462, 999):
        libc.syscall(number, 0, 0, 0, 0, 0, 0)


def answer(a, b):
    calls()
    return 0


calls()
print(0)

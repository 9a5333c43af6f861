"""Unpacks a bomb, and leaves archives behind."""
import io
import zipfile
import zlib

archive = io.BytesIO()
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
    for number in range(50):
        file.writestr(f"{number}", b"0" * 2**22)


def answer(a, b):
    with zipfile.ZipFile(archive) as file:
        file.extractall(".")
    return len(zlib.decompress(zlib.compress(b"0" * 2**28)) * 8)


answer(0, 0)

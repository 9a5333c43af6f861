"""Looks for secrets of the host and of earlier runs: environment, objects, and all of the process's memory.

A secret is a prefix and 16 hexadecimal digits; the whole is nowhere in this text, so that it does not find itself.
"""

import gc
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

pattern = re.compile(b"TWSEC" + b"RET-[0-9a-f]{16}")
places: dict[str, list[bytes]] = {"environment": [f"{name}={value}".encode() for name, value in os.environ.items()]}
places["arguments"] = [argument.encode() for argument in (*sys.argv, *sys.orig_argv)]

strings: list[bytes] = []
for thing in gc.get_objects():
    with suppress(Exception):  # objects of any module: some raise when looked at
        members = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, (list, tuple, set)) else ()
        strings += [member.encode(errors="replace") for member in members if isinstance(member, str)]
        strings += [bytes(member) for member in members if isinstance(member, (bytes, bytearray))]
places["objects"] = strings

for environment in Path("/proc").glob("[0-9]*/environ"):
    with suppress(OSError):
        places.setdefault("an environment in /proc", []).append(environment.read_bytes())
for name, texts in places.items():
    if any(pattern.search(text) for text in texts):
        print(f"a secret is in {name}")

with suppress(OSError), open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in maps:
        span, mode, *_, path = (*line.split(), "")[:7]
        first, last = (int(bound, 16) for bound in span.split("-"))
        if mode[0] != "r" or path.startswith(("/", "[v")) or last - first > 2**28:
            continue
        with suppress(OSError, OverflowError):
            memory.seek(first)
            if pattern.search(memory.read(last - first)):
                print(f"a secret is in the process's memory ({line.split()[-1]})")
print("end")

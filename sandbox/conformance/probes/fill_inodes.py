"""Makes empty files wherever it can, to 70,000 a place. Writes a line a place: files made, path."""

import os
import shutil
from contextlib import suppress

for place in (os.getcwd(), "/tmp", "/var/tmp", "/dev/shm"):
    made, folder = 0, os.path.join(place, "trueward-inodes")
    with suppress(OSError):
        os.mkdir(folder)
        while made < 70_000:
            os.close(os.open(os.path.join(folder, str(made)), os.O_CREAT | os.O_WRONLY))
            made += 1
    shutil.rmtree(folder, ignore_errors=True)
    print(made, place)

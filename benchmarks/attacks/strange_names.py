"""Fills its folder with what a harvester may stumble over."""
import os, socket
for name in (b"a\nb", b"\xff\xfe", b"x" * 255, b"results.ndjson\n", b"-rf", b"..\xe2\x80\xae", b"\x1b[2J"):
    try: open(name, "wb").close()
    except OSError: pass
for target in ("results.ndjson", "solution.py", "output.txt", "answer.txt", "input.txt", "tests.json", "__pycache__"):
    for make in (lambda: os.remove(target), lambda: os.mkfifo(target), lambda: os.symlink("/etc/shadow", target + ".l"), lambda: os.symlink("/dev/zero", target + ".z"), lambda: os.mknod(target + ".c", 0o20666, os.makedev(1, 5))):
        try: make()
        except OSError: pass
deep = "d" * 200
try:
    for _ in range(3000): os.mkdir(deep); os.chdir(deep)
except OSError: pass
os.chdir("/")
try:
    os.mkdir("/box/work/locked"); os.chmod("/box/work/locked", 0); os.chmod(".", 0)
    with open("/box/work/sparse", "wb") as f: f.truncate(1 << 40)
except OSError: pass
try: socket.socket(socket.AF_UNIX).bind("/box/work/sock")
except OSError: pass
def answer(a, b):
    try: os.chdir("/"); os.rename("/box/work", "/box/other")
    except OSError: pass
    return 0
print(0)

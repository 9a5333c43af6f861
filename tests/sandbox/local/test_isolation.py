"""What a program cannot reach: the host's files, processes, network, kernel, and the slot that runs it."""

from __future__ import annotations

import errno
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.base import Program, Status, run
from sandbox.limits import Limits
from sandbox.local import LocalSandbox
from tests.sandbox.local.programs import QUICK, python, said

pytestmark = pytest.mark.asyncio(loop_scope="module")

SYSCALL = "import ctypes\nc = ctypes.CDLL(None, use_errno=True)\nr = c.syscall({})\nprint(r, ctypes.get_errno())"


async def test_only_the_runtime_is_there_and_only_the_own_places_can_be_written(sandbox: LocalSandbox) -> None:
    source = """
import os
found = []
for path, folders, files in os.walk('/'):
    folders[:] = [f for f in folders if not os.path.islink(os.path.join(path, f))]
    if path.startswith(('/usr', '/opt/trueward')):
        folders.clear()
    for place in (path, *(os.path.join(path, name) for name in files)):
        if os.access(place, os.W_OK) and not os.path.islink(place):
            found.append(place)
print(*sorted(found))
print(*sorted(os.listdir('/')))
"""
    writable, roots = (await said(sandbox, source, limits=Limits(wall_s=60, cpu_s=60))).splitlines()
    own = {"/box", "/box/shm", "/box/tmp", "/box/work", "/box/work/solution.py"}
    devices = {f"/dev/{name}" for name in ("full", "null", "random", "urandom", "zero")}
    assert set(writable.split()) == own | devices
    assert not {"work", "home", "var", "sys", "run", "mnt", "srv", "boot"} & set(roots.split())


@pytest.mark.parametrize("path", ["/usr/x", "/etc/passwd", "/x", "/opt/trueward/x", "/dev/x", "/proc/x"])
async def test_nothing_of_the_system_can_be_changed(sandbox: LocalSandbox, path: str) -> None:
    execution = await python(sandbox, f"open({path!r}, 'a')")
    assert execution.status is Status.NONZERO_EXIT
    assert any(word in execution.stderr for word in (b"Read-only", b"Permission", b"No such file"))


async def test_files_of_the_host_are_out_of_sight(sandbox: LocalSandbox, tmp_path: object) -> None:
    secret = f"{tmp_path}/secret"
    with open(secret, "w", encoding="ascii") as file:  # noqa: ASYNC230, PTH123 - a moment, before the run
        file.write("secret")
    here = os.path.dirname(__file__)  # noqa: PTH120
    for path in (
        secret,
        here,
        "/etc/shadow",
        str(Path("/root", ".ssh")),
        "/proc/1/environ",
        f"/proc/self/root{secret}",
        "/proc/sys",
        "/sys/kernel",
    ):
        assert await said(sandbox, f"import os; print(os.path.exists({path!r}))") == "False"


async def test_no_variable_and_no_name_of_the_host(sandbox: LocalSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEWARD_SECRET", "canary")
    source = "import os, socket, getpass; print(sorted(os.environ), socket.gethostname(), os.getuid())"
    printed = await said(sandbox, source)
    assert printed == "['LANG', 'LC_ALL', 'MALLOC_ARENA_MAX', 'PATH'] box 1000"
    assert socket.gethostname() != "box"


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "AF_VSOCK"])
async def test_no_socket_that_leads_out(sandbox: LocalSandbox, family: str) -> None:
    source = f"import socket\ntry: socket.socket(socket.{family}, socket.SOCK_RAW)\nexcept OSError as e: print(e.errno)"
    assert await said(sandbox, source) == "1"


MANAGER = """
import multiprocessing

def square(shared, number):
    shared[number] = number**2

if __name__ == "__main__":
    multiprocessing.set_start_method("forkserver")
    with multiprocessing.Manager() as manager:
        shared = manager.dict()
        workers = [multiprocessing.Process(target=square, args=(shared, number)) for number in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        print(*sorted(shared.items()))
"""


async def test_processes_of_one_program_meet_at_unix_sockets(any_sandbox: LocalSandbox) -> None:
    assert await said(any_sandbox, MANAGER, limits=replace(QUICK, wall_s=20.0)) == "(0, 0) (1, 1) (2, 4)"


async def test_a_unix_socket_in_a_folder_of_the_host_that_programs_see_answers_nobody(
    sandbox: LocalSandbox,
) -> None:
    folder = Path(sys.base_prefix, "lib")
    path = folder / f"trueward-test-{os.getpid()}.socket"
    if not os.access(folder, os.W_OK):
        pytest.skip("this user may not put a socket there")
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            listener.bind(str(path))
            path.chmod(0o777)
            listener.listen()
            source = f"import os, socket\nprint(os.path.exists({str(path)!r}))\n"
            source += f"try: socket.socket(socket.AF_UNIX).connect({str(path)!r})\nexcept OSError as e: print(e.errno)"
            assert await said(sandbox, source) == f"True\n{errno.ECONNREFUSED}"
        finally:
            path.unlink(missing_ok=True)


async def test_socket_pairs_and_so_asyncio_work(sandbox: LocalSandbox) -> None:
    assert await said(sandbox, "import asyncio\nasync def f(): return 5\nprint(asyncio.run(f()))") == "5"


async def test_neither_descriptors_nor_capabilities_are_left(sandbox: LocalSandbox) -> None:
    source = "import fcntl\nfound = []\nfor n in range(256):\n  try: fcntl.fcntl(n, fcntl.F_GETFD); found.append(n)\n"
    source += "  except OSError: pass\nprint(found)"
    assert await said(sandbox, source) == "[0, 1, 2]"
    source = "import ctypes\nc = ctypes.CDLL(None)\nprint(c.prctl(39, 0, 0, 0, 0), c.prctl(21, 0, 0, 0, 0), "
    source += "[n for n in range(64) if c.prctl(23, n, 0, 0, 0) == 1])"
    assert await said(sandbox, source) == "1 2 []"


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ("435, 0, 0", "-1 38"),  # clone3
        ("56, 0x10000011, 0, 0, 0, 0", "-1 1"),  # clone into a new user namespace
        ("425, 1, 0", "-1 38"),  # io_uring_setup
        ("319, b'x', 0", "-1 38"),  # memfd_create
        ("29, 0, 4096, 0o1600", "-1 38"),  # shmget
        ("302, 1, 7, 0, 0", "-1 1"),  # prlimit64 of the slot
        ("203, 1, 0, 0", "-1 1"),  # sched_setaffinity of the slot
        ("141, 2, 1000, 19", "-1 1"),  # setpriority of a whole user
        ("141, 0, 1, 19", "-1 1"),  # setpriority of the slot
        ("105, 0", "-1 1"),  # setuid
        ("9999, 0", "-1 38"),  # newer than the table
        ("0x40000000 + 1, 1, 0, 0", "-1 38"),  # x32
    ],
)
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="numbers of x86_64")
async def test_system_calls_that_are_refused(sandbox: LocalSandbox, call: str, answer: str) -> None:
    assert await said(sandbox, SYSCALL.format(call)) == answer


@pytest.mark.parametrize("signal", [1, 2, 9, 15, 19, 24])
async def test_the_slot_is_deaf_to_its_program(sandbox: LocalSandbox, signal: int) -> None:
    source = f"import os\nfor pid in (1, -1):\n  try: os.kill(pid, {signal})\n  except OSError: pass\nprint('alive')"
    assert await said(sandbox, source) == "alive"
    execution = await python(sandbox, f"import os; os.kill(0, {signal})")
    assert execution.status is Status.SIGNALLED or signal in (1, 2, 15, 19, 24)
    assert await said(sandbox, "print(2)") == "2"


async def test_programs_see_no_process_but_their_own(sandbox: LocalSandbox) -> None:
    source = "import os\nseen = []\nfor n in range(1, 5000):\n  try: os.kill(n, 0); seen.append(n)\n"
    source += "  except PermissionError: seen.append(n)\n  except OSError: pass\nprint(set(seen) <= {1, os.getpid()})"
    assert await said(sandbox, source) == "True"
    assert await said(sandbox, "import os; print(sorted(os.listdir('/proc')))") == "['2', 'self', 'thread-self']"


async def test_proc_shows_the_programs_own_processes_and_nothing_else(sandbox: LocalSandbox) -> None:
    script = "sleep 9 & cd /proc; echo *; test -d /proc/$! && echo seen; cat /proc/1/* /proc/loadavg; kill $!"
    execution = await run(sandbox, Program("bash", script), QUICK)
    assert execution.stdout == b"2 3 self thread-self\nseen\n"
    for path in ("/proc/self/stat", "/proc/self/maps", "/proc/self/environ", "/proc/self/fd/0"):
        assert await said(sandbox, f"print(len(open({path!r}).read()) > 0)", b"some") == "True"


async def test_nothing_of_one_run_is_there_in_the_next(sandbox: LocalSandbox) -> None:
    leave = "open('left', 'w').write('x'); open('/tmp/left', 'w'); open('/dev/shm/left', 'w')\nimport os\n"
    leave += "os.mkdir('/box/more'); os.chmod('/box', 0); import builtins; builtins.left = 1"
    look = "import os, builtins\nprint("
    look += "os.listdir('.'), os.listdir('/tmp'), os.listdir('/dev/shm'), hasattr(builtins, 'left'))"
    for _ in range(4):
        assert (await python(sandbox, leave)).status is Status.FINISHED
        assert await said(sandbox, look) == "['solution.py'] [] [] False"


async def test_the_interpreter_holds_nothing_of_other_programs(sandbox: LocalSandbox) -> None:
    canary = "CANARY" + "7f3a"
    for _ in range(4):
        await python(sandbox, f"x = '{canary}'\nprint(x)", stdin=canary.encode())
    source = """
import gc
gc.unfreeze()
texts = [t for o in gc.get_objects() for t in gc.get_referents(o) if type(t) in (str, bytes)]
ends = {str: 'ARY7f3a', bytes: b'ARY7f3a'}
print(len(texts) > 10_000, [t for t in texts if ends[type(t)] in t and len(t) > 7 and t != open(__file__).read()])
"""
    assert await said(sandbox, source) == "True []"


async def test_our_own_modules_have_no_names_in_the_program(sandbox: LocalSandbox) -> None:
    source = "import sys\nprint([n for n in sys.modules if 'jail' in n or 'trueward' in n], sys.path[0])"
    printed = await said(sandbox, source)
    assert printed.startswith("[] ")
    assert "sandbox" not in printed


async def test_the_harness_is_found_by_programs_that_name_its_folder(sandbox: LocalSandbox) -> None:
    source = "# /opt/trueward/python\nimport sys\nprint(sys.path[0])"
    assert await said(sandbox, source) == "/opt/trueward/python"


@pytest.mark.parametrize("link", ["/etc/passwd", "../../etc/passwd", "/proc/self/environ", "solution.py", "/dev/zero"])
async def test_links_are_not_fetched(sandbox: LocalSandbox, link: str) -> None:
    source = f"import os\nos.symlink({link!r}, 'out')\nos.mkdir('d')\nos.symlink('/etc', 'd/e')\n"
    source += "open('good', 'w').write('1')"
    execution = await run(sandbox, Program("python", source, fetch=("out", "d/e/passwd", "good", "none")), QUICK)
    assert execution.files == {"good": b"1"}


@pytest.mark.parametrize("make", ["os.mkfifo('out')", "os.mkdir('out')", "open('out', 'wb').truncate(2**20 + 1)"])
async def test_what_is_no_file_of_moderate_size_is_not_fetched(sandbox: LocalSandbox, make: str) -> None:
    execution = await run(sandbox, Program("python", f"import os\n{make}", fetch=("out",)), QUICK)
    assert (execution.status, execution.files) == (Status.FINISHED, {})


async def test_files_and_arguments_arrive_as_they_are(sandbox: LocalSandbox) -> None:
    files = {"data/a b.bin": bytes(range(256)) * 1000, "empty": b"", "ünï.txt": b"x"}
    source = "import sys, os\nprint(sys.argv[1:], len(open('data/a b.bin', 'rb').read()), sorted(os.listdir('.')))"
    execution = await run(sandbox, Program("python", source, arguments=("a b", "", "ü"), files=files), QUICK)
    assert execution.stdout.decode().strip() == "['a b', '', 'ü'] 256000 ['data', 'empty', 'solution.py', 'ünï.txt']"

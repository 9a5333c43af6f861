"""What a container is made of, as the engine reports it and as a program in it sees it."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from docker.errors import NotFound

from sandbox.base import Program, Status, Unsupported, run
from sandbox.docker import DockerSandbox
from sandbox.docker.container import Files
from sandbox.languages import languages
from sandbox.limits import Limits
from tests.sandbox.docker.engines import IMAGE, client, containers
from tests.sandbox.patience import grace_s

pytestmark = [pytest.mark.image, pytest.mark.asyncio(loop_scope="module")]
LIMITS = Limits(wall_s=20.0)


def python(source: str, **options: tuple[str, ...]) -> Program:
    return Program("python", source, **options)  # type: ignore[arg-type]


async def test_a_container_is_locked_down(sandbox: DockerSandbox) -> None:
    async with sandbox.open(python("print(1)"), LIMITS):
        api = client()
        made = []
        for name in containers(sandbox.server):
            with contextlib.suppress(NotFound):  # one of a run before, removed meanwhile
                made.append(api.inspect_container(name))
        api.close()
    assert made
    for container in made:
        host, config = container["HostConfig"], container["Config"]
        assert host["NetworkMode"] == "none"
        assert host["ReadonlyRootfs"]
        assert not host["Privileged"]
        assert (host["CapDrop"], host["CapAdd"]) == (["ALL"], None)
        assert "no-new-privileges" in host["SecurityOpt"]
        assert any(option.startswith("seccomp={") for option in host["SecurityOpt"])
        assert host["LogConfig"]["Type"] == "none"
        assert 0 < host["Memory"] == host["MemorySwap"]
        assert host["PidsLimit"] > 0
        assert host["NanoCpus"] == 10**9
        assert int(config["User"].split(":")[0]) >= 20_000
        assert set(host["Tmpfs"]) == {"/work", "/tmp", "/dev/shm"}
        assert all("size=" in options and "nr_inodes=" in options for options in host["Tmpfs"].values())
        assert [mount["Destination"] for mount in container["Mounts"]] == ["/opt/trueward"]
        assert {"/proc/loadavg", "/proc/sys", "/sys/devices"} <= set(host["MaskedPaths"])


@pytest.mark.parametrize("layers", [True, False])
async def test_the_runners_files_cannot_be_changed(
    sandbox: DockerSandbox, monkeypatch: pytest.MonkeyPatch, layers: bool
) -> None:
    async with sandbox.open(python("print(1)"), LIMITS):
        known = sandbox._files
    assert known is not None
    assert known.layers
    monkeypatch.setattr(sandbox, "_files", known if layers else Files(known.volume))
    source = "import os\nfor path, _, files in os.walk('/opt/trueward'):\n"
    source += "    for place in (path, *(os.path.join(path, name) for name in files)):\n"
    source += "        if os.access(place, os.W_OK): print(place)\n"
    source += "print(os.path.exists('/opt/trueward/docker/runner/main.py'))"
    shown = await run(sandbox, python(source), Limits(wall_s=20.0, disk_bytes=2**25 + layers))
    assert shown.stdout == b"True\n"


SYSINFO = """
import ctypes, os
c = ctypes.CDLL(None, use_errno=True)
def ask():
    told = (ctypes.c_long * 14)()
    return c.sysinfo(told), ctypes.get_errno(), list(told)
"""


@pytest.mark.parametrize(
    ("ask", "answer"),
    [
        (
            "told = ask()[2]; print(told[1:4], told[4] == told[5] > 0, os.getloadavg())",
            "[0, 0, 0] True (0.0, 0.0, 0.0)",
        ),
        ("print(c.sysinfo(ctypes.c_void_p(2**47)), ctypes.get_errno())", "-1 14"),
        ("print(c.sysinfo(ctypes.c_void_p(2**64 - 4096)), ctypes.get_errno())", "-1 14"),
        ("c.prctl(4, 0, 0, 0, 0); print(*ask()[:2])", "-1 14"),  # one that nobody may look into
        (
            "import threading\nfor _ in range(8): threading.Thread(target=lambda: [ask() for _ in range(99)]).start()",
            "",
        ),
        ("if os.fork() == 0:\n    while True: ask()\nprint(1)", "1"),
    ],
)
async def test_figures_of_the_machine_without_its_load(sandbox: DockerSandbox, ask: str, answer: str) -> None:
    async with sandbox.open(python(SYSINFO + ask), LIMITS) as workspace:
        for _ in range(2):
            execution = await workspace.run()
            assert (execution.status, execution.stdout.decode().strip()) == (Status.FINISHED, answer)


async def test_a_program_is_nobody_and_can_become_nobody_else(sandbox: DockerSandbox) -> None:
    status = await run(sandbox, python("print(open('/proc/self/status').read())"), LIMITS)
    fields = dict(line.split(":\t", 1) for line in status.stdout.decode().splitlines() if ":\t" in line)
    assert {fields[f"Cap{kind}"].strip("0") for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")} == {""}
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"
    assert "0" not in fields["Uid"].split()


async def test_every_container_has_a_user_of_its_own(sandbox: DockerSandbox) -> None:
    shown = await asyncio.gather(*(run(sandbox, python("import os; print(os.getuid())"), LIMITS) for _ in range(3)))
    assert len({one.stdout for one in shown}) == 3


async def test_the_runner_cannot_be_touched(sandbox: DockerSandbox) -> None:
    attacks = """
import ctypes, os, resource, signal
def tried(what):
    try:
        what(); return "done"
    except OSError as error:
        return type(error).__name__
for number in range(1, 65):
    try: os.kill(1, number)
    except OSError: pass
print(tried(lambda: open("/proc/1/mem", "rb")), tried(lambda: os.listdir("/proc/1/fd")),
      tried(lambda: open("/proc/1/environ").read()), tried(lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0))),
      tried(lambda: os.setpriority(os.PRIO_PROCESS, 1, 19)), tried(lambda: os.setpriority(os.PRIO_USER, 0, 19)),
      tried(lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))),
      tried(lambda: os.sched_setaffinity(1, {0})), tried(lambda: open("/proc/1/oom_score_adj", "w")))
"""
    async with sandbox.open(python(attacks), LIMITS) as workspace:
        for _ in range(2):
            done = await workspace.run()
            assert done.status is Status.FINISHED, done
            assert set(done.stdout.split()) == {b"PermissionError"}, done.stdout


@pytest.mark.parametrize("call", ["ptrace", "unshare", "mount", "keyctl", "bpf"])
async def test_a_call_that_no_honest_program_makes_is_forbidden(sandbox: DockerSandbox, call: str) -> None:
    source = f"#include <unistd.h>\n#include <sys/syscall.h>\nint main() {{ syscall(SYS_{call}, 0, 0, 0, 0, 0); }}"
    done = await run(sandbox, Program("c", source), LIMITS)
    assert done.status is Status.FORBIDDEN, done


async def test_there_is_no_network(sandbox: DockerSandbox) -> None:
    tries = "import socket\nfor family in (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET):\n"
    tries += "    try: socket.socket(family)\n    except PermissionError: print('no')\n"
    tries += "print(open('/proc/net/dev').read().count(':'))"
    done = await run(sandbox, python(tries), LIMITS)
    assert done.stdout.split() == [b"no", b"no", b"no", b"no", b"1"]


async def test_processes_of_a_program_meet_at_unix_sockets(sandbox: DockerSandbox) -> None:
    source = """
import multiprocessing, socket
with multiprocessing.Manager() as manager:
    shared = manager.dict()
    process = multiprocessing.Process(target=shared.update, args=({1: 2},))
    process.start()
    process.join()
    print(dict(shared))
with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as caller:
    listener.bind("met")
    listener.listen()
    caller.connect("met")
    print(listener.accept()[0].fileno() > 0)
"""
    done = await run(sandbox, python(source), LIMITS)
    assert done.stdout.split(b"\n") == [b"{1: 2}", b"True", b""], done


async def test_nothing_but_the_bounded_places_can_be_written(sandbox: DockerSandbox) -> None:
    search = """
import os
found = []
for folder, folders, files in os.walk("/"):
    if folder == "/":
        folders[:] = [name for name in folders if name not in ("proc", "sys")]
    for name in [folder, *(os.path.join(folder, file) for file in files)]:
        if not os.path.islink(name) and os.access(name, os.W_OK) and not os.path.isfile(name) and os.path.isdir(name):
            found.append(name)
        elif os.path.isfile(name) and not os.path.islink(name) and os.access(name, os.W_OK):
            found.append(name)
print(*sorted(found))
"""
    done = await run(sandbox, python(search), LIMITS)
    work = b"/work"
    assert done.stdout.split() == [b"/dev/mqueue", b"/dev/shm", b"/tmp", work, work + b"/solution.py"]


async def test_a_run_finds_the_files_as_they_were(sandbox: DockerSandbox) -> None:
    source = """
import os, sys
print(open("data/x").read(), sorted(os.listdir(".")), os.listdir("/tmp"), os.listdir("/dev/shm"))
open("data/x", "w").write("changed"); open("new", "w"); open("/tmp/t", "w"); open("/dev/shm/s", "w")
os.makedirs("/tmp/" + "/".join("d" * 200 for _ in range(15))); os.chmod("/tmp/" + "d" * 200, 0)
os.symlink("/etc/passwd", "link")
if os.fork() == 0:
    os.setsid()
    __import__("time").sleep(60)
"""
    async with sandbox.open(Program("python", source, files={"data/x": b"pristine"}), LIMITS) as workspace:
        first, second = await workspace.run(), await workspace.run()
    assert first.status is second.status is Status.FINISHED, second
    assert first.stdout == second.stdout == b"pristine ['data', 'solution.py'] [] []\n"


async def test_what_the_compiler_made_is_laid_out_anew_for_each_run(sandbox: DockerSandbox) -> None:
    source = '#include <stdio.h>\n#include <unistd.h>\nint main() { puts("here"); unlink("solution"); return 0; }'
    async with sandbox.open(Program("c", source), LIMITS) as workspace:
        done = [await workspace.run() for _ in range(3)]
    assert workspace.compiled is not None
    assert [one.stdout for one in done] == [b"here\n"] * 3


async def test_a_compile_error_says_so_and_is_not_run(sandbox: DockerSandbox) -> None:
    async with sandbox.open(Program("c", "int main( {"), LIMITS) as workspace:
        done = await workspace.run()
    assert done is workspace.compiled
    assert done.status is Status.COMPILE_ERROR
    assert b"error" in done.stderr


async def test_memory_of_many_small_processes_is_the_programs_doing_even_if_the_runner_dies(
    sandbox: DockerSandbox,
) -> None:
    bomb = """
import os, time
open("/proc/self/oom_score_adj", "w").write("0")
for _ in range(60):
    if os.fork() == 0:
        held = []
        while True:
            held.append(bytearray(200_000)); time.sleep(0.01)
time.sleep(15)
"""
    async with sandbox.open(python(bomb), Limits(wall_s=10.0, cpu_s=30.0, memory_bytes=64 * 2**20)) as workspace:
        done = await workspace.run()
        assert done.status in (Status.MEMORY_LIMIT, Status.TIME_LIMIT, Status.NONZERO_EXIT), done
        again = await workspace.run()
    assert again.status in (Status.MEMORY_LIMIT, Status.TIME_LIMIT, Status.NONZERO_EXIT), again


async def test_a_hanging_program_is_over_soon_after_its_limit(sandbox: DockerSandbox) -> None:
    async with sandbox.open(python("while True: pass"), LIMITS) as workspace:
        await workspace.run(limits=Limits(wall_s=0.1))
        start_s = asyncio.get_running_loop().time()
        done = await workspace.run(limits=Limits(wall_s=1.0))
        took_s = asyncio.get_running_loop().time() - start_s
    assert done.status is Status.TIME_LIMIT
    assert took_s < 1.0 + grace_s(3.0)


async def test_a_language_that_the_image_lacks_is_unsupported(sandbox: DockerSandbox) -> None:
    usable = await sandbox.languages()
    assert set(usable) == set(languages())
    in_ci = {name for name, language in languages().items() if language.tier == "ci"}
    assert {name for name in in_ci if usable[name]} == set()
    assert IMAGE in usable["rust"]
    with pytest.raises(Unsupported, match="rustc"):
        await run(sandbox, Program("rust", "fn main() {}"), LIMITS)


@pytest.mark.parametrize("name", [name for name, language in languages().items() if language.tier == "ci"])
async def test_each_language_runs(sandbox: DockerSandbox, name: str) -> None:
    hello = {
        "bash": "read x; echo $((x * 2))",
        "c": '#include <stdio.h>\nint main() { int x; scanf("%d", &x); printf("%d\\n", 2 * x); }',
        "cpp": "#include <iostream>\nint main() { int x; std::cin >> x; std::cout << 2 * x << '\\n'; }",
        "go": 'package main\nimport "fmt"\nfunc main() { var x int; fmt.Scan(&x); fmt.Println(2 * x) }',
        "java": "import java.util.*;\nclass Main { public static void main(String[] a) "
        "{ System.out.println(2 * new Scanner(System.in).nextInt()); } }",
        "javascript": "console.log(2 * Number(require('fs').readFileSync(0)))",
        "python": "print(2 * int(input()))",
    }
    done = await run(sandbox, Program(name, hello[name]), Limits(wall_s=30.0, cpu_s=30.0, compile_s=90.0), b"21\n")
    assert done.stdout == b"42\n", done

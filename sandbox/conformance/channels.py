"""What goes in and comes out: standard input, arguments, files."""

from __future__ import annotations

import hashlib
import random

from sandbox.base import SandboxFailure, Status, Unsupported
from sandbox.conformance.bench import LIMITS, Bench, brief, limits, probe
from sandbox.conformance.host import files_named, new_marker
from sandbox.conformance.streams import PROGRAMS

_MIB = 2**20


async def standard_input(bench: Bench) -> None:
    """Bytes come through as they are, the end with them; what nobody reads hurts nobody."""
    data = random.Random(7).randbytes(3 * _MIB) + b"\0\r\n\xff"
    source = "import hashlib, sys\nprint(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())"
    execution = await bench.run(source, stdin=data)
    wanted = hashlib.sha256(data).hexdigest() + "\n"
    bench.expect(execution.stdout == wanted.encode(), f"3 MiB of bytes did not come through: {brief(execution)}")
    execution = await bench.run("import sys; print(repr(sys.stdin.read()), sys.stdin.isatty())")
    bench.expect(execution.stdout == b"'' False\n", f"no input is an end at once: {brief(execution)}")
    for source in (
        "print('done')",
        "import sys; sys.stdin.read(1); print('done')",
        "import os; os.close(0); print('done')",
    ):
        execution = await bench.run(source, stdin=b"x" * (8 * _MIB))
        bench.expect(execution.stdout == b"done\n", f"8 MiB that nobody reads: {brief(execution)}")


async def streams_by_name(bench: Bench) -> None:
    """Each language opens its streams as ``/dev/stdin`` and the like; limits hold for what is written there."""
    usable = [name for name, lacks in (await bench.sandbox.languages()).items() if not lacks]
    for language in usable:
        for source in PROGRAMS.get(language, ()):
            execution = await bench.run(source, stdin=b"one\ntwo 2\n", language=language, limits=limits(processes=128))
            fits = (execution.stdout, execution.stderr.strip()) == (b"one\ntwo 2\n", b"err")
            bench.expect(
                fits, f"{language} opens its streams by name: {brief(execution)}: {' '.join(source.split())[:80]}"
            )
    for path in ("/dev/stdout", "/dev/fd/2", "/proc/self/fd/1"):
        execution = await bench.run(f"with open({path!r}, 'w') as out:\n    while True: out.write('x' * 2**16)")
        bench.expect_status(execution, Status.OUTPUT_LIMIT, of=f"a flood through {path}")
        kept = max(len(execution.stdout), len(execution.stderr))
        bench.expect(kept == LIMITS.output_bytes, f"of a flood through {path} {kept} bytes are kept")


async def closed_output(bench: Bench) -> None:
    """A program may close its streams and go on; its end counts, not theirs."""
    execution, elapsed_s = await bench.time_run(
        bench.run("import os, time\nos.close(1); os.close(2)\ntime.sleep(0.5)\nos._exit(3)")
    )
    bench.expect_status(execution, Status.NONZERO_EXIT, of="exit code 3 after closing all output")
    bench.expect(elapsed_s >= 0.5, "a program that closed its output was not waited for")


async def big_exchanges(bench: Bench) -> None:
    """Reading and writing at once never blocks, however much it is."""
    source = "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line[:100] + b'\\n')"
    data = (b"y" * 999 + b"\n") * 4_000
    execution = await bench.run(source, stdin=data)
    bench.expect(execution.stdout == (b"y" * 100 + b"\n") * 4_000, f"4 MB in, 0.4 MB out: {brief(execution)}")


async def arguments(bench: Bench) -> None:
    """Arguments arrive as they were given; nothing reads them on the way."""
    given = (
        "",
        " ",
        "a b",
        "'\"\\",
        "$HOME `id` $(id)",
        "--help",
        "-c",
        "{file}",
        "*",
        "é\u4e2d\U0001f600",
        "\n",
        "--",
    )
    execution = await bench.run("import json, sys; print(json.dumps(sys.argv[1:]))", *given)
    seen = await bench.run("import json, sys; print(json.loads(sys.stdin.read()))", stdin=execution.stdout)
    bench.expect(seen.stdout.decode() == f"{list(given)}\n", f"{list(given)} arrives as {seen.stdout.decode()}")


async def given_files(bench: Bench) -> None:
    """Files lie in the working directory by their relative paths, whatever is in them, and can be changed."""
    blob = bytes(range(256)) * 2_000
    files = {"a.txt": b"a", "b/c/d.bin": blob, "b/é x.txt": b"", "-n": b"flag", ".hidden": b"h"}
    source = (
        "import pathlib\n"
        "for p in sorted(pathlib.Path('.').rglob('*')):\n"
        "    if p.is_file() and p.name != 'solution.py': print(p, len(p.read_bytes()), sum(p.read_bytes()) % 997)\n"
        "pathlib.Path('a.txt').write_text('changed'); pathlib.Path('b/new').mkdir()\n"
    )
    execution = await bench.run(source, files=files)
    wanted = "".join(f"{path} {len(data)} {sum(data) % 997}\n" for path, data in sorted(files.items()))
    seen = "".join(sorted(execution.stdout.decode().splitlines(keepends=True)))
    bench.expect(seen == "".join(sorted(wanted.splitlines(keepends=True))), f"files arrive as {brief(execution)}")
    bench.expect_status(execution, Status.FINISHED, of="a program that changes its files")


async def hostile_file_names(bench: Bench) -> None:
    """A path that leaves the working directory raises ValueError, like one that is none; nothing is written there."""
    name = new_marker()
    outside = bench.host.folder / name
    for path in (
        f"../{name}",
        f"a/../../{name}",
        str(outside),
        f"../../../../../../..{outside}",
        "",
        ".",
        "a\0b",
        "a//../..",
    ):
        for as_fetch in (False, True):
            given = {} if as_fetch else {path: b"x"}
            try:
                execution = await bench.run("print(1)", files=given, fetch=(path,) if as_fetch else ())
            except (ValueError, Unsupported):
                continue
            except SandboxFailure as failure:
                bench.fault(f"the path {path!r} is no failure of the sandbox: {failure}")
                continue
            bench.fault(f"the path {path!r} {'to fetch ' if as_fetch else ''}is taken: {brief(execution)}")
    bench.expect(not files_named(name), f"files were written on the host: {files_named(name)}")


async def fetched_files(bench: Bench) -> None:
    """Regular files come back; what is missing, no regular file, or too large is left out."""
    wanted = {"good.bin": bytes(range(256)), "sub/deep.txt": b"deep", "empty.txt": b""}
    traps: tuple[str, ...] = (
        "link.txt",
        "passwd.txt",
        "inner.txt",
        f"way/{bench.host.secret_file.name}",
        "etc/passwd",
        "zero",
    )
    traps += ("folder", "pipe", "large.bin", "missing.txt", "missing/x", "good.bin/x")
    run = bench.run(probe("files"), str(bench.host.secret_file), fetch=(*wanted, *traps, "closed.txt", "hard.txt"))
    execution, elapsed_s = await bench.time_run(run)
    bench.expect_status(execution, Status.FINISHED, of="a program that leaves files of every kind")
    fetched = {name: data for name, data in execution.files.items() if name not in ("closed.txt", "hard.txt")}
    bench.expect(elapsed_s <= 2.0 + bench.grace_s, f"fetching took {elapsed_s:.1f} s")
    for name in traps:
        bench.expect(name not in fetched, f"{name} is fetched: {fetched.get(name, b'')[:60]!r}")
    for name, data in wanted.items():
        bench.expect(fetched.get(name) == data, f"{name} is fetched as {fetched.get(name, b'nothing')[:60]!r}")


async def many_fetched_files(bench: Bench) -> None:
    """Each up to the output limit; the program cannot grow or swap one while it is read."""
    source = "for n in range(8): open(f'{n}.txt', 'wb').write(str(n).encode() * (2**20 + (n == 7)))"
    execution = await bench.run(source, fetch=tuple(f"{n}.txt" for n in range(8)))
    sizes = {name: len(data) for name, data in execution.files.items()}
    wanted = {f"{n}.txt": _MIB for n in range(7)}
    bench.expect(sizes == wanted, f"seven files of the limit and one over it come back as {sizes}")


CHECKS = (
    standard_input,
    streams_by_name,
    closed_output,
    big_exchanges,
    arguments,
    given_files,
    hostile_file_names,
    fetched_files,
    many_fetched_files,
)

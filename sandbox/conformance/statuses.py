"""Every way a program ends is told as what it was, with its exit code or signal and what it used."""

from __future__ import annotations

import signal

from sandbox.base import SandboxFailure, Status, Unsupported
from sandbox.conformance.bench import Bench, brief, limits
from sandbox.languages import languages

_CODES = (1, 2, 3, 42, 124, 125, 126, 127, 128, 137, 139, 255)
"""Among them those by which shells and container engines tell something else."""

_SIGNALS = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM, signal.SIGFPE, signal.SIGPIPE)


async def python_runs(bench: Bench) -> None:
    """A trivial program; the smallest thing that has to work."""
    execution = await bench.run("print('hello')")
    bench.expect_status(execution, Status.FINISHED, of="a trivial program")
    bench.expect(execution.exit_code == 0, f"a program that ends well has exit code 0, not {execution.exit_code}")
    bench.expect(execution.stdout == b"hello\n", f"standard output is {execution.stdout[:80]!r}")
    bench.expect(execution.stderr == b"", f"standard error is {execution.stderr[:200]!r}")
    bench.expect(not execution.truncated, "a short output is flagged as truncated")


async def languages_are_told(bench: Bench) -> None:
    """All known languages by name, each usable or with a reason; an unknown one is Unsupported."""
    told = await bench.sandbox.languages()
    bench.expect(set(told) == set(languages()), f"languages() differs in {sorted(set(told) ^ set(languages()))}")
    bench.expect(told.get("python") == "", f"python cannot be used here: {told.get('python')}")
    try:
        execution = await bench.run("x", language="no-such-language")
    except Unsupported:
        return
    bench.fault(f"an unknown language is Unsupported, not {brief(execution)}")


async def exit_codes(bench: Bench) -> None:
    """An exit code other than 0 is ``nonzero_exit`` with that code, also where shells use it for a signal."""
    async with bench.open("import os, sys; os._exit(int(sys.stdin.read()))") as workspace:
        for code in _CODES:
            execution = await workspace.run(str(code).encode())
            if bench.expect_status(execution, Status.NONZERO_EXIT, of=f"exit code {code}"):
                bench.expect(execution.exit_code == code, f"exit code {code} is told as {execution.exit_code}")
                bench.expect(execution.signal is None, f"exit code {code} is told with signal {execution.signal}")


async def uncaught_exceptions(bench: Bench) -> None:
    """A traceback on standard error and exit code 1."""
    execution = await bench.run("print('before')\nraise ValueError('boom')")
    bench.expect_status(execution, Status.NONZERO_EXIT, of="an uncaught exception")
    bench.expect(execution.exit_code == 1, f"its exit code is 1, not {execution.exit_code}")
    bench.expect(b"ValueError: boom" in execution.stderr, f"no traceback: {brief(execution)}")
    bench.expect(execution.stdout == b"before\n", f"output before it is lost: {execution.stdout!r}")


async def own_signals(bench: Bench) -> None:
    """A program that a signal ends is ``signalled`` with its number, SIGKILL too: that is no memory limit."""
    source = "import os, signal, sys\nn = int(sys.stdin.read())\nsignal.signal(n, 0) if n not in (9, 19) else 0\n"
    async with bench.open(source + "os.kill(os.getpid(), n)\n") as workspace:
        for number in _SIGNALS:
            execution = await workspace.run(str(int(number)).encode())
            if bench.expect_status(execution, Status.SIGNALLED, of=f"a program that {number.name} ends"):
                bench.expect(execution.signal == number, f"{number.name} is told as signal {execution.signal}")


async def syntax_errors(bench: Bench) -> None:
    """A program that its interpreter refuses, or a text that is none, is the program's failure."""
    for source in (
        "def f(:\n",
        "print('never ends",
        "x = '\0'",
        "",
        "\ufeffprint(1)",
        "import no_such_module",
    ):
        try:
            execution = await bench.run(source)
        except SandboxFailure as failure:
            bench.fault(f"the source {source!r} makes the sandbox fail: {failure}")
            continue
        allowed = (
            (Status.FINISHED,) if source in ("", "\ufeffprint(1)") else (Status.NONZERO_EXIT, Status.COMPILE_ERROR)
        )
        bench.expect_status(execution, *allowed, of=f"the source {source!r}")


async def usage_is_told(bench: Bench) -> None:
    """Wall clock, CPU of all processes, and the largest resident set."""
    slept = await bench.run("import time; time.sleep(0.5)")
    bench.expect(0.45 <= slept.usage.wall_s <= 0.5 + bench.grace_s, f"0.5 s asleep: wall_s {slept.usage.wall_s:.3f}")
    bench.expect(0 <= slept.usage.cpu_s < 0.4, f"0.5 s asleep: cpu_s {slept.usage.cpu_s:.3f}")
    source = (
        "import os, time\nif os.fork() == 0:\n    while time.process_time() < 0.5: pass\n    os._exit(0)\nos.wait()"
    )
    burnt = await bench.run(source)
    bench.expect(0.4 <= burnt.usage.cpu_s <= 1.5, f"0.5 s of CPU in a child: cpu_s {burnt.usage.cpu_s:.3f}")
    source = "x = bytearray(96 * 2**20)\nfor i in range(0, len(x), 4096): x[i] = 1"
    held = await bench.run(source)
    peak_mib = held.usage.peak_memory_bytes / 2**20
    bench.expect(90 <= peak_mib <= 180, f"96 MiB held: peak_memory_bytes is {peak_mib:.0f} MiB")


async def compile_errors(bench: Bench) -> None:
    """What the compiler refuses is ``compile_error`` in every run, with its words; nothing is run."""
    async with bench.open("int main(void) { return undeclared; }", language="c") as workspace:
        compiled, execution = workspace.compiled, await workspace.run()
    bench.expect(compiled is not None, "compiled is None for a language that compiles")
    if compiled is not None:
        bench.expect_status(compiled, Status.COMPILE_ERROR, of="the compiler's own execution")
    bench.expect_status(execution, Status.COMPILE_ERROR, of="a run of what does not compile")
    bench.expect(b"undeclared" in execution.stderr + execution.stdout, f"no compiler's words: {brief(execution)}")


async def compiled_programs(bench: Bench) -> None:
    """A program that compiles runs as often as asked; what the compiler left is not its output."""
    source = (
        '#include <stdio.h>\nint main(void) { int a, b; scanf("%d %d", &a, &b); printf("%d\\n", a + b); return 0; }'
    )
    async with bench.open(source, language="c") as workspace:
        compiled = workspace.compiled
        bench.expect(compiled is not None and compiled.status is Status.FINISHED, f"compiled: {compiled}")
        for a in range(3):
            execution = await workspace.run(f"{a} 40".encode())
            bench.expect(execution.stdout == f"{a + 40}\n".encode(), f"{a} + 40: {brief(execution)}")


async def hostile_compilations(bench: Bench) -> None:
    """A compiler that is led into endless work, memory or output is ended, and it reads no file of the host."""
    endless = '#include "/dev/zero"\nint main(void) { return 0; }'
    nested = "\n".join(f"#define x{n + 1} x{n} x{n} x{n} x{n}" for n in range(40)) + "\n#define x0 int y;\nx40\n"
    stolen = f'#include "{bench.host.secret_file}"\nint main(void) {{ return 0; }}'
    loud = "\n".join(f"undeclared_{n};" for n in range(200_000))
    for name, source in (("endless file", endless), ("macros", nested), ("host's file", stolen), ("messages", loud)):
        run = bench.run(source, language="c", limits=limits(compile_s=1.0))
        execution, elapsed_s = await bench.time_run(run)
        bench.expect_status(execution, Status.COMPILE_ERROR, of=f"a compilation of {name}")
        said = execution.stdout + execution.stderr
        bench.expect(elapsed_s <= 1.0 + bench.grace_s, f"a compilation of {name} took {elapsed_s:.1f} s of 1 s")
        bench.expect(bench.host.secret.encode()[9:] not in said, "the compiler reads files of the host aloud")
        bench.expect(len(execution.stderr) <= 2**20, f"{len(execution.stderr)} bytes of messages are kept")


CHECKS = (
    python_runs,
    languages_are_told,
    exit_codes,
    uncaught_exceptions,
    own_signals,
    syntax_errors,
    usage_is_told,
    compile_errors,
    compiled_programs,
    hostile_compilations,
)

"""open-instruct's code API: lost connections are tried again, a status never is, and whatever fails is a score of 0."""

from __future__ import annotations

from trainers.manners import GaveUp, Line, Manners
from trainers.protocol import Client, Heard, Service, Task

MANNERS = Manners(30.0, tries=4, pause_s=lambda tried: 0.3 * 2 ** (tried - 1))


async def _results(line: Line, url: str, program: str, tests: list[object]) -> Heard:
    try:
        said = await line.post(url, {"program": program, "tests": tests, "max_execution_time": 2.0})
    except GaveUp:
        return Heard(0.0)
    results, runtimes = said["results"], said["runtimes"]
    assert len(results) == len(runtimes) == len(tests)
    assert all((runtime >= 0) is (result == 1) for result, runtime in zip(results, runtimes, strict=True))
    return Heard(sum(results) / len(results) if results else 0.0)


async def ask(line: Line, service: Service, task: Task) -> Heard:
    tests: list[object] = [] if task.reference is None else [{"input": "41\n", "output": f"{task.reference}\n"}]
    return await _results(line, f"{service.url}/test_program_stdio", task.response, tests)


async def ask_with_assertions(line: Line, service: Service, task: Task) -> Heard:
    tests: list[object] = [] if task.reference is None else [f"assert following(41) == {task.reference}"]
    program = task.response.replace("print(int(input())", "def following(number): return (number")
    return await _results(line, f"{service.url}/test_program", program, tests)


CLIENTS = (
    Client("open-instruct stdio", "program", MANNERS, ask),
    Client("open-instruct assertions", "program", MANNERS, ask_with_assertions),
)

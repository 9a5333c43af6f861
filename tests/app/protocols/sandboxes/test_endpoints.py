"""Other servers' code protocols, as their clients send and read them, against the live service."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from pydantic import JsonValue

from tests.live import Service, serving


@pytest.fixture(scope="module")
def service(keyless: Service) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=keyless.url, timeout=60.0) as client:
        yield client


def run_code(service: httpx2.Client, **body: JsonValue) -> dict[str, JsonValue]:
    answer = service.post("/run_code", json={"language": "python", **body})
    assert answer.status_code == 200, answer.text
    found: dict[str, JsonValue] = answer.json()
    return found


def test_a_program_runs_as_sandbox_fusion_runs_it(service: httpx2.Client) -> None:
    found = run_code(service, code="import sys\nprint(int(input()) + 1)\nsys.stderr.write('e')", stdin="41")
    assert found["status"] == "Success"
    ran = found["run_result"]
    assert isinstance(ran, dict)
    assert (ran["status"], ran["return_code"], ran["stdout"], ran["stderr"]) == ("Finished", 0, "42\n", "e")
    assert isinstance(ran["execution_time"], float)
    assert found["executor_pod_name"] is None
    assert found["compile_result"] is None


def test_files_go_in_and_come_out_in_base64(service: httpx2.Client) -> None:
    code = "open('out.bin', 'wb').write(open('in.bin', 'rb').read()[::-1])"
    files: JsonValue = {"in.bin": base64.b64encode(b"\x00abc").decode()}
    found = run_code(service, code=code, files=files, fetch_files=["out.bin", "missing"])
    assert found["files"] == {"out.bin": base64.b64encode(b"cba\x00").decode()}


@pytest.mark.parametrize(
    ("code", "status", "return_code"),
    [
        ("raise SystemExit(3)", "Finished", 3),
        ("1 / 0", "Finished", 1),
        ("import os\nos.kill(os.getpid(), 9)", "Finished", -9),
        ("while True: pass", "TimeLimitExceeded", None),
    ],
)
def test_a_program_that_fails_is_failed(
    service: httpx2.Client, code: str, status: str, return_code: int | None
) -> None:
    found = run_code(service, code=code, run_timeout=1)
    assert found["status"] == "Failed"
    ran = found["run_result"]
    assert isinstance(ran, dict)
    assert (ran["status"], ran["return_code"]) == (status, return_code)


def test_a_compiled_program_says_what_its_compiler_did(service: httpx2.Client) -> None:
    good = run_code(service, language="c", code='#include <stdio.h>\nint main(void) { puts("hi"); return 0; }')
    assert good["status"] == "Success"
    compiled = good["compile_result"]
    assert isinstance(compiled, dict)
    assert compiled["return_code"] == 0
    bad = run_code(service, language="c", code="int main(void) { return x; }")
    assert (bad["status"], bad["run_result"]) == ("Failed", None)
    compiled = bad["compile_result"]
    assert isinstance(compiled, dict)
    assert "error" in str(compiled["stderr"])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"code": "1", "language": "cobol"}, "language"),
        ({"code": "1", "language": "python", "files": {"a": "%%%"}}, "files.a"),
        ({"language": "python"}, "code"),
        ({"code": "1", "language": "python", "run_timeout": -1}, "run_timeout"),
    ],
)
def test_a_bad_request_names_its_field(service: httpx2.Client, body: dict[str, JsonValue], field: str) -> None:
    answer = service.post("/run_code", json=body)
    assert answer.status_code == 422
    assert [problem["field"] for problem in answer.json()["errors"]] == [field]


def test_assertions_are_tested_as_open_instruct_tests_them(service: httpx2.Client) -> None:
    tests = ["assert add(1, 2) == 3", "assert add(1, 2) == 4", "assert add(1, 2) == 3"]
    body = {"program": "def add(a, b):\n    return a + b", "tests": tests, "max_execution_time": 1.0}
    found = service.post("/test_program", json=body).json()
    assert found["results"] == [1, 0, 1]
    assert [runtime >= 0 for runtime in found["runtimes"]] == [True, False, True]
    assert found["runtimes"][1] == -1.0


def test_outputs_are_tested_as_open_instruct_tests_them(service: httpx2.Client) -> None:
    tests = [{"input": "1\n", "output": "2\n"}, {"input": "1\n", "output": "3\n"}]
    body = {"program": "print(int(input()) + 1)", "tests": tests, "max_execution_time": 1.0}
    assert service.post("/test_program_stdio", json=body).json()["results"] == [1, 0]


def test_a_hanging_program_costs_its_own_test_alone(service: httpx2.Client) -> None:
    program = "def f(n):\n    while n == 1:\n        pass\n    return n"
    body = {"program": program, "tests": [f"assert f({n}) == {n}" for n in range(4)], "max_execution_time": 0.5}
    assert service.post("/test_program", json=body).json()["results"] == [1, 0, 1, 1]


def test_a_program_that_does_not_compile_passes_nothing(service: httpx2.Client) -> None:
    body = {"program": "def f(:", "tests": ["assert f(1) == 1"], "max_execution_time": 1.0}
    assert service.post("/test_program", json=body).json() == {"results": [0], "runtimes": [-1.0]}


def test_tests_as_json_text_are_read_and_pickles_are_refused(service: httpx2.Client) -> None:
    body = {"program": "x = 1", "tests": '["assert x == 1"]', "max_execution_time": 1.0}
    assert service.post("/test_program", json=body).json()["results"] == [1]
    refused = service.post("/test_program", json={**body, "tests": "eJxrYJ2aDAAEaAGc"})
    assert refused.status_code == 422
    assert "pickle" in refused.json()["detail"]


def test_many_tests_are_told_one_by_one(service: httpx2.Client) -> None:
    tests = [f"assert f({n}) == {n if n % 2 else n + 1}" for n in range(150)]
    body = {"program": "def f(n):\n    return n", "tests": tests, "max_execution_time": 1.0}
    assert service.post("/test_program", json=body).json()["results"] == [n % 2 for n in range(150)]


def test_languages_say_whether_they_can_be_used_here(service: httpx2.Client) -> None:
    found = service.get("/v1/languages").json()
    assert found["sandbox"] == "local"
    by_name = {language["name"]: language for language in found["languages"]}
    assert by_name["python"]["usable"]
    assert all(language["usable"] == (language["reason"] == "") for language in found["languages"])


def test_without_a_sandbox_programs_are_not_run_and_the_service_is_ready(tmp_path: Path) -> None:
    with serving(tmp_path, sandbox="off") as live, httpx2.Client(base_url=live.url) as client:
        ready = client.get("/health/ready").json()
        assert ready["ready"]
        [check] = [check for check in ready["checks"] if check["name"] == "sandbox"]
        assert check == {"name": "sandbox", "ok": True, "detail": "off: no program is run"}
        assert client.post("/run_code", json={"code": "1", "language": "python"}).json()["status"] == "SandboxError"
        sample = {"response": "```python\nprint(1)\n```", "reference": {"stdio": [{"stdout": "1"}]}}
        [verdict] = client.post("/v1/verify", json={"verifier": "code", "samples": [sample]}).json()["verdicts"]
        assert (verdict["outcome"], verdict["reason_code"]) == ("abstained", "sandbox_unsupported")

"""Who may export and draw from the ledger's page: what the key's scopes and project say."""

from __future__ import annotations

import httpx2
import pytest

from tests.services import Keyed, Project

RUN = "scopes of bulk work"


def judge(url: str, key: str) -> str:
    body = {"verifier": "exact", "run": RUN, "samples": [{"response": "2", "reference": "2"}]}
    said = httpx2.post(f"{url}/v1/verify", json=body, headers=bearer(key), timeout=60.0, trust_env=False)
    record: str = said.raise_for_status().json()["verdicts"][0]["record"]
    return record


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


@pytest.mark.parametrize(
    ("scopes", "export", "draw"),
    [(("view",), 200, 403), (("label",), 403, 403), (("view", "label"), 200, 303), (("score",), 403, 403)],
)
def test_an_export_wants_view_and_a_draw_label_too(
    keyed: Keyed, scopes: tuple[str, ...], export: int, draw: int
) -> None:
    record = judge(keyed.url, keyed.admin)
    key = keyed.key(*scopes)["key"]
    with httpx2.Client(base_url=keyed.url, headers=bearer(key), timeout=60.0, trust_env=False) as http:
        for path, status in (("export", export), ("draw", draw)):
            assert http.post(f"/ui/ledger/{path}", data={"record": record}).status_code == status


def test_records_of_another_project_are_neither_exported_nor_drawn(keyed: Keyed, project: Project) -> None:
    record = judge(keyed.url, keyed.admin)
    headers = bearer(project.key)
    with httpx2.Client(base_url=keyed.url, headers=headers, timeout=60.0, trust_env=False) as http:
        for fields in ({"record": record}, {"which": "found", "run": RUN}):
            said = http.post("/ui/ledger/export", data=fields)
            assert (said.status_code, said.text) == (200, "")
            assert http.post("/ui/ledger/draw", data=fields).status_code == 422
        assert http.get("/ui/runs", headers={"accept": "application/json"}).json()["runs"] == []

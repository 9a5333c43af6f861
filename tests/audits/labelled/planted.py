"""Rows for the ledger and for labels, made up, written as they are."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert

from app import tables
from app.audits.ledger import StoredLedger
from app.kit.clock import now
from app.kit.db import Database
from app.kit.tokens import new_id
from audits.ports import Work
from tests.audits.asking import Silent

Row = dict[str, Any]
_AT_ONCE = 200


class Nobody(Silent):
    """For audits of what is stored: nothing is judged anew."""

    def __init__(self) -> None:
        pass


def work(db: Database, audit: str = "A1") -> Work:
    async def told(done: int, total: int) -> None:
        assert 0 <= done <= total

    return Work(audit, StoredLedger(db), Nobody(), told)


def sample(response: object, **content: object) -> Row:
    body = json.dumps({"response": response, **content})
    return {
        "fingerprint": hashlib.blake2b(body.encode(), digest_size=20).hexdigest(),
        "content": body,
        "created_at": now(),
    }


def verdict(of: Row, outcome: str = "correct", score: float | None = None, **rest: object) -> Row:
    """A verdict of ``math`` on a sample; the score is the outcome's unless it is given."""
    usual = {"correct": 1.0, "incorrect": 0.0, "invalid": 0.0}.get(outcome)
    return {
        **_record(of, outcome),
        "verifier": "math",
        "version": "1",
        "params": "sha256:0",
        "score": usual if score is None else score,
        "evidence": {},
        "confidence": None,
        "feedback": None,
        "elapsed_s": 0.0,
        "cached": False,
        **rest,
    }


def reward(of: Row, value: float | None, outcome: str = "correct", **rest: object) -> Row:
    return {
        **_record(of, outcome),
        "recipe": "sha256:abc",
        "recipe_name": "dapo",
        "reward": value,
        "components": {},
        "corrected": None,
        "weight": None,
        "producers": [],
        "verdicts": [],
        "keys": [],
        "estimate": None,
        "kept": None,
        "step_rewards": None,
        "step_spans": None,
        "token_rewards": None,
        "token_spans": None,
        "request": None,
        "position": 0,
        "state_version": 0,
        "conditions": "",
        **rest,
    }


def label(of: Row, right: bool | None, **rest: object) -> Row:
    return {
        "id": new_id(),
        "sample": of["fingerprint"],
        "record": None,
        "right": right,
        "score": None,
        "annotator": "ann",
        "source": "human",
        "note": "",
        "probability": None,
        "reference": None,
        "draw": None,
        "position": None,
        "after_reveal": False,
        "owner": None,
        "created_at": now(),
        **rest,
    }


def draw(population: int, drawn: int, name: str = "D1") -> Row:
    return {
        "id": name,
        "name": "",
        "spec": {},
        "population": population,
        "drawn": drawn,
        "notes": [],
        "owner": None,
        "created_at": now(),
    }


def drawn(of: Row, record: str, position: int, probability: float, name: str = "D1") -> Row:
    return {
        "draw": name,
        "position": position,
        "record": record,
        "sample": of["fingerprint"],
        "query": "disagreement",
        "probability": probability,
        "state": "done",
    }


async def put(db: Database, table: type[tables.Table], rows: Sequence[Row]) -> None:
    async with db.write() as connection:
        for start in range(0, len(rows), _AT_ONCE):
            await connection.execute(insert(table), list(rows[start : start + _AT_ONCE]))


async def put_judged(db: Database, judged: Sequence[tuple[Row, Row]]) -> None:
    """Samples, each once, with their verdicts."""
    await put(db, tables.Sample, list({one["fingerprint"]: one for one, _ in judged}.values()))
    await put(db, tables.Verdict, [said for _, said in judged])


def _record(of: Row, outcome: str) -> Row:
    return {
        "record": new_id(),
        "sample": of["fingerprint"],
        "sample_id": None,
        "group": None,
        "pair": None,
        "run": None,
        "step": None,
        "policy": None,
        "split": "train",
        "data_source": None,
        "owner": None,
        "outcome": outcome,
        "reason_code": "made_up",
        "reason": "",
        "created_at": now(),
    }

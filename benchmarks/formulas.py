"""What formulas pay that did not pay what their sources say, before and after they were mended.

``python -m benchmarks.formulas [--short | --quick | --long] [--before DIR]``. Each reproduction is a few responses, so
that its numbers can be checked by hand. With ``--before`` the same are computed by the code in another checkout, in a
process of its own: the commit before formulas were mended is 706f740. Our own examples: they show what a formula does,
not how often it matters in a training.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Number = float | str | list[float] | None

YES, NO = "correct", "incorrect"
TOLD = "__told__"
"""This file's name where it is run by another checkout's code, whose modules it imports."""


def recipe(**body: object) -> Any:
    from rewards.recipe import parse_recipe

    return parse_recipe({"range": [-9, 99], "invalid": -9, **body})


def verdict(outcome: str, score: float | None = None, confidence: float | None = None, **evidence: object) -> Any:
    from trueward.wire.verdict import Verdict

    right = {YES: 1.0, NO: 0.0}.get(outcome, score)
    said = {"outcome": outcome, "score": right, "reason_code": "x", "evidence": evidence, "confidence": confidence}
    return Verdict.model_validate(said)


def priced(made: Any, **verdicts: Any) -> Any:
    from rewards.price import price
    from trueward.wire.sample import Sample

    return price(made, Sample(prompt="p", response="r"), verdicts)


def group(made: Any, rows: Sequence[Mapping[str, Any]], **fields: Sequence[object]) -> list[float | None]:
    """The rewards of a group, settled together."""
    from rewards.price import Member
    from rewards.settle import settle
    from trueward.wire.sample import Sample

    members = []
    for place, verdicts in enumerate(rows):
        given = {name: values[place] for name, values in fields.items()}
        sample = Sample.model_validate({"prompt": "p", "response": f"r{place}", **given})
        members.append(Member(sample, verdicts, priced(made, **verdicts)))
    return [one.reward for one in settle(made, "g", members).rewards]


def gained() -> Number:
    """IGPO: a right rollout of two turns and an answer, in which the belief in the reference rises to 0.6; after the
    answer the reference is not what comes next (0.05). What the answering turn is paid beside the outcome."""
    from judges.failure_verdicts import judge_task
    from judges.questions import Answer
    from trueward.wire.model import ModelEntry
    from trueward.wire.sample import Sample
    from verifiers import registry

    class Beliefs:
        def entry(self, name: str) -> Any:
            return ModelEntry(name=name, kind="causal", path="scripted")

        async def ask(self, name: str, question: Any) -> Any:
            return Answer(rows=((math.log([0.1, 0.3, 0.6, 0.05][len(question.prompt) - 1]),),), weights=0)

        def unreadable(self, name: str, question: Any, answer: Any) -> None:
            return None

    turns = [{"role": "assistant", "content": text} for text in ("Look.", "So.", "\\boxed{59}")]
    sample = Sample.model_validate({"prompt": "q", "response": turns, "reference": "59"})
    verifier: Any = registry.create("likelihood", {"model": "policy", "transform": "information_gain"})
    found = asyncio.run(judge_task(verifier, verifier.triage(sample), Beliefs()))  # type: ignore[arg-type]
    steps: Any = found.evidence["step_scores"]
    return float(steps[-1])


def renormalised() -> Number:
    """PPR: a wrong answer whose four steps are clean. All that its steps and its answer are paid."""
    from rewards.shaping import steps

    terms = [{"verifier": "math", "answer": True}, {"verifier": "critique", "name": "cr", "weight": 0}]
    said = {"math": verdict(NO), "cr": verdict("scored", 1.0, step_scores=[1.0] * 4)}
    shaping: list[dict[str, object]] = [{"method": "renorm", "term": "cr"}]
    if not hasattr(steps, "Renorm"):  # as the page had it
        shaping = [{"method": "affine", "offset": -1, "term": "math"}, {"method": "steps", "term": "cr"}]
    reward = priced(recipe(terms=terms, shaping=shaping), **said)
    return float(sum(reward.step_rewards) + reward.reward)


def punished() -> Number:
    """CAPO: what each of the five tokens of a wrong step is paid, of a penalty of 1."""
    from trueward.trainers import alignment

    each: Any = "each"  # which another version may take for its other place
    return alignment.token_rewards([(place, place + 1) for place in range(5)], [(0, 5)], [-1.0], place=each)


def repeated() -> Number:
    """Clip and Delta: a right answer that says one step 1, 5 and 20 times; the verifier sums its steps."""
    terms = [{"verifier": "math"}, {"verifier": "process_reward", "name": "prm"}]
    made = recipe(terms=terms, shaping=[{"clip_and_delta": {"threshold": 0.7}, "term": "prm"}])
    found = []
    for times in (1, 5, 20):
        steps = [*[0.5] * times, 0.99]
        found.append(
            float(priced(made, math=verdict(YES), prm=verdict("scored", sum(steps), step_scores=steps)).reward)
        )
    return found


def unlikely() -> Number:
    """Unlikeliness with rewards of 1 and -1: right and likely, right and rare, wrong and likely, wrong and rare."""
    made = recipe(terms=["math"], shaping=[{"affine": {"scale": 2, "offset": -1}}, "unlikeliness"])
    logprobs = [{"token_ids": [1], "logprobs": [one]} for one in (-0.1, -0.9, -0.1, -0.9)]
    found = group(made, [{"math": verdict(one)} for one in (YES, YES, NO, NO)], logprobs=logprobs)
    return [float(one or 0) for one in found]


def confident() -> Number:
    """PPO-C: a right response that states a confidence of 1/10, of which its verifier is sure by 0.75."""
    from trueward.wire.sample import Sample
    from verifiers import registry

    sure, price = verdict(YES, confidence=0.75), {"start": 0.4}
    if "stated_confidence" not in registry.names():
        return float(priced(recipe(terms=["math"], shaping=[{"ppo_c": price}]), math=sure).reward)
    [said] = registry.create("stated_confidence", {}).verify([Sample(response="59\nConfidence: 1/10")])
    terms = ["math", {"verifier": "stated_confidence", "weight": 0}]
    made = recipe(terms=terms, shaping=[{"ppo_c": {**price, "confidence": "stated_confidence"}}])
    return float(priced(made, math=sure, stated_confidence=said).reward)


def flipped() -> Number:
    """Flips of whole groups with probability 0.5: of 200 prompts, the share that is wrong at all of ten steps."""
    from rewards.conditions import Conditions
    from rewards.price import price
    from trueward.wire.sample import Sample

    body = {"verifier": "flip", "params": {"inner": {"verifier": "math"}, "p": 0.5}}
    made = recipe(terms=[body], control=True)
    always = 0
    for place in range(200):
        sample = Sample(prompt=f"p{place}", response="r", group=f"g{place}")
        paid = [price(made, sample, {"flip": verdict(YES)}, Conditions(step=step)).reward for step in range(10)]
        always += not any(paid)
    return always / 200


def without_program() -> Number:
    """VeRPO: what passing the first of two tests earns beside a right response, where two of four wrote no program."""
    made = recipe(terms=["code"], shaping=[{"verpo": {}, "term": "code"}])
    said = [
        verdict(YES, tests=[True, True]),
        verdict("partial", 0.5, tests=[True, False]),
        *[verdict("invalid", 0.0)] * 2,
    ]
    return float(group(made, [{"code": one} for one in said])[1] or 0)


def gated() -> Number:
    """TraPO: is a prompt kept whose history is opposite to that of labelled ones, collapsed, or unknown?"""
    from rewards.conditions import Conditions
    from rewards.price import Member
    from rewards.settle import settle
    from trueward.wire.sample import Sample

    made = recipe(terms=["math"], group={"rules": ["semi_supervised"]})
    labelled, found = [0.25, 0.5, 0.75, 1.0], []
    for history in (labelled[::-1], [1.0] * 4, None):
        known = {"g": history} if history else {}
        conditions = Conditions(histories=known, labelled_history=labelled)
        sample = Sample(prompt="p", response="r")
        members = [Member(sample, {"math": verdict(one)}, priced(made, math=verdict(one))) for one in (YES, NO)]
        found.append("kept" if settle(made, "g", members, conditions).group.kept else "dropped")
    return ", ".join(found)


def contrasted() -> Number:
    """Contrast Instructions: of a score that only adds 5 for one of two prompts, the measures that pass it."""
    from audits.bench.swaps import CONTRAST_SWAP

    values = CONTRAST_SWAP.measure([[6.0, 1.0], [5.0, 0.0]]).values  # own, then the other's response
    return ", ".join(f"{name} {value:g}" for name, value in values.items())


def swapped() -> Number:
    """RABench: where a judge finds the principle that was swapped."""
    from audits.bench.swaps import PRINCIPLE_SWAP

    row: Any = {"prompt": "x", "responses": ["a", "b"], "principles": ["be brief", "be long"]}
    [case] = PRINCIPLE_SWAP.cases([row])
    sample = case.parts[0][0]
    return "metadata.principle" if (sample.metadata or {}).get("principle") else "reference alone"


def surest() -> Number:
    """BRME: whether a reward model can tell the spreads of its heads, which `nominal: surest` reads."""
    from trueward.wire.model import ModelEntry

    try:
        ModelEntry.model_validate({"name": "r", "kind": "reward", "path": "p", "reading": {"kind": "heads"}})
    except ValueError:
        return "no"
    return "yes"


def gains(name: str, rewards: Sequence[float], lengths: Sequence[int], **more: Any) -> list[float]:
    """The advantages of each response's first token."""
    import torch

    from trueward_trainer.advantages import Scored, advantages

    mask = torch.tensor([[1.0] * length + [0.0] * (max(lengths) - length) for length in lengths])
    scored = Scored(rewards, more.pop("groups", [0] * len(rewards)), mask, **more)
    return [round(float(one), 4) for one in advantages(name, scored).values[:, 0]]


def debiased() -> Number:
    """`debiased`, both rates 0: the advantage of an all-wrong group of four, of an all-right one, and the sum of the
    advantages of three right and one wrong with rates 0.1 and 0.2."""
    import torch

    from trueward.estimators.noise import debias as estimated
    from trueward_trainer.advantages import Scored, advantages

    def first(reward: float) -> float:
        scored = Scored([reward] * 4, [0] * 4, torch.ones(4, 1), right=[bool(reward)] * 4)
        return float(advantages("debiased", scored).values[0, 0])

    return [first(0.0), first(1.0), sum(estimated([1, 1, 1, 0], 0.1, 0.2))]


def pure() -> Number:
    """`pure`: lengths 2, 4 and 10, rewards 0.9, -0.4 and 0.3 at the last token; the authors' code has 0.914, -0.8 and
    -0.533 for the first."""
    import torch

    lengths, rewards = [2, 4, 10], [0.9, -0.4, 0.3]
    at = torch.zeros(3, 10)
    for row, (length, reward) in enumerate(zip(lengths, rewards, strict=True)):
        at[row, length - 1] = reward
    return gains("pure", rewards, lengths, token_rewards=at, step_ends=(at != 0).float())


def gpg() -> Number:
    """`gpg`: three groups of four (all right, one right, all wrong): the factor on `r - mean`; the paper's is 3."""
    rewards = [1.0] * 4 + [1.0, 0, 0, 0] + [0.0] * 4
    return gains("gpg", rewards, [1] * 12, groups=[0] * 4 + [1] * 4 + [2] * 4)[4] / 0.75


def diluted() -> Number:
    """`w_reinforce`: one right, one wrong, one that was only measured. How many of them the loss's mean counts."""
    import torch

    from trueward_trainer.advantages import Scored, advantages

    scored = Scored([1, 0, 0.5], [0] * 3, torch.ones(3, 1), right=[True, False, None])
    return float(advantages("w_reinforce", scored).learns.sum())


def advised() -> Number:
    """Warnings of the trainer where responses of a group were corrected by slices, and `grpo` learns."""
    from trueward.wire.reward import Reward
    from trueward_trainer import advantages as module

    said = [
        Reward.model_validate(
            {"reward": one, "outcome": YES, "components": {}, "corrected": one, "estimate": f"audit[{form}]"}
        )
        for one, form in ((1.2, "integer"), (1.6, "fraction"))
    ]
    differ = getattr(module, "rates_differ", None)
    known = {"rates_differ_within_group": differ([said])} if differ else {}
    return float(len(module.advice("grpo", said, **known)))


def fed() -> Number:
    """Fields of a response that the bundled trainer can send beside its text."""
    from inspect import signature

    from trueward_trainer.scoring import as_samples

    fields = ["finish_reason", "tokens"] + (["logprobs"] if "logprobs" in signature(as_samples).parameters else [])
    return ", ".join(fields)


REPRODUCTIONS: Mapping[str, Callable[[], Number]] = {
    "1 IGPO: the answering turn's increment": gained,
    "2 PPR: a wrong answer with four clean steps": renormalised,
    "3 CAPO: the tokens of a wrong step": punished,
    "4 Clip/Delta: a step said 1, 5, 20 times": repeated,
    "6 RABench: where the principle is": swapped,
    "7 unlikeliness with 1 and -1": unlikely,
    "8 PPO-C: right, states 1/10": confident,
    "9 RPR: prompts flipped at all of ten steps": flipped,
    "10 BRME: spreads of heads": surest,
    "11 VeRPO: one of two tests passed": without_program,
    "12 TraPO: opposite, collapsed, unknown history": gated,
    "13 Contrast: a score that likes a prompt": contrasted,
    "F1 debiased: all wrong, all right, the sum": debiased,
    "F2 pure: lengths 2, 4, 10": pure,
    "F3 gpg: the factor": gpg,
    "F4 w_reinforce: responses in the mean": diluted,
    "F5 warnings for corrections by slice": advised,
    "F6 what the trainer sends": fed,
}
"""By the finding's number; finding 5 is a preset's question, in words."""


def shown(value: Number) -> str:
    if isinstance(value, list):
        return ", ".join(f"{one:.4g}" for one in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def computed() -> dict[str, Number]:
    return {name: reproduce() for name, reproduce in REPRODUCTIONS.items()}


def computed_by(checkout: Path) -> dict[str, Number]:
    """The same by the code of another checkout."""
    paths = os.pathsep.join(map(str, (checkout, checkout / "client/src")))
    told = subprocess.run(
        [sys.executable, "-c", f"import runpy; runpy.run_path({__file__!r}, run_name={TOLD!r})"],
        env={**os.environ, "PYTHONPATH": paths},
        cwd=checkout,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, Number] = json.loads(told.stdout)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    from benchmarks.report import called, finish, rows

    parser = ArgumentParser(add_help=False)
    parser.add_argument("--before", type=Path, help="a checkout of another version")
    own, rest = parser.parse_known_args(arguments)
    call = called("formulas", "What formulas pay, before and after they were mended.", rest)
    now = computed()
    before = computed_by(own.before.resolve()) if own.before else {}
    header = ["reproduction", *(["before"] if before else []), "now"]
    rows("Formulas", header, [[n, *([shown(before[n])] if before else []), shown(now[n])] for n in now])
    steps = now["4 Clip/Delta: a step said 1, 5, 20 times"]
    alike = now["F1 debiased: all wrong, all right, the sum"]
    claims = {
        "the answering turn is not punished": now["1 IGPO: the answering turn's increment"] == 0,
        "a wrong answer is paid nothing for clean steps": now["2 PPR: a wrong answer with four clean steps"] == 0,
        "a step said again earns nothing": isinstance(steps, list) and max(steps) - min(steps) < 1e-9,
        "groups without spread have no advantage": isinstance(alike, list) and max(map(abs, alike)) < 1e-9,
    }
    finish("formulas", call, {"now": now, "before": before}, claims)


if __name__ == TOLD:
    print(json.dumps(computed()))
if __name__ == "__main__":
    main()

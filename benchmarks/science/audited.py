"""Error rates of a verifier by an audit of the service, from responses of the policy before it is trained.

Responses are sampled, judged over HTTP in a run of their own, labelled by the task itself (which knows the right
answers), and the labels are uploaded: what a lab does with people takes the same calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from pydantic import JsonValue
from transformers import AutoModelForCausalLM, AutoTokenizer

from benchmarks.science.toy import Start, Toy, some
from trueward import Client
from trueward.wire.audit import Audit, LabelledAudit, Population, Subject
from trueward.wire.label import LabelRequest
from trueward.wire.sample import Sample
from trueward_trainer.rollout import Sampler
from trueward_trainer.scoring import as_samples
from trueward_trainer.streams import generator

PROMPTS, GROUP = 512, 8
"""What is labelled: 4,096 responses to prompts that no training has."""


def audited(
    toy: Toy,
    start: Start,
    seed: int,
    url: str,
    verifier: str,
    params: Mapping[str, JsonValue],
    name: str,
    rates_by: Sequence[str],
) -> Audit:
    """The audit when it has ended. ``name`` is that of its run in the ledger; rates are keyed by ``rates_by``."""
    model = AutoModelForCausalLM.from_pretrained(start.folder)
    sampler = Sampler(model, AutoTokenizer.from_pretrained(start.folder), chat=False, max_new_tokens=toy.longest + 1)
    asked = [Sample(prompt=prompt, reference=reference) for prompt, reference in some(toy, "audit", seed, PROMPTS)]
    responses = sampler.sample(asked, GROUP, 1.0, generator(torch.device("cpu"), seed, 0, "audit"))
    samples = as_samples(asked, responses, [f"audit-{place}" for place in range(PROMPTS)])
    with Client(url) as client:
        verdicts = client.verify(samples, verifier=verifier, params=params, run=name, split="eval")
        client.label(
            LabelRequest(
                record=verdict.record, right=sample.response_text in toy.right(str(sample.reference)), source="oracle"
            )
            for sample, verdict in zip(samples, verdicts, strict=True)
        )
        subject = Subject(verifier=verifier, params=dict(params))
        spec = LabelledAudit(subject=subject, population=Population(run=name), by=["form"], rates_by=list(rates_by))
        return client.wait_for_audit(client.start_audit(spec, name=name).id, timeout_s=120.0)

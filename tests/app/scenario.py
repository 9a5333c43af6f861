"""One request for each operation of the service, in an order in which all of them succeed.

``<list_jobs.jobs.0.id>`` stands for what an earlier answer had at that place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.judges.presets.folder import FILES

SAMPLE = {"id": "a", "prompt": "1/2 + 1/3?", "response": "so \\boxed{5/6}", "reference": "\\frac56", "group": "q1"}
WRONG = {"id": "b", "prompt": "1/2 + 1/3?", "response": "so \\boxed{2/5}", "reference": "\\frac56", "group": "q1"}
PAIR = [SAMPLE, WRONG]
MATH = {"verifier": "math"}
RECIPE = {"terms": [{"verifier": "math"}], "invalid": -0.5}
PROGRAM = "def double(x):\n    return 2 * x"
GRADER = {
    "type": "string_check",
    "name": "same",
    "operation": "eq",
    "input": "{{sample.output_text}}",
    "reference": "4",
}
ROLLOUT = {
    "responses_create_params": {"input": [{"role": "user", "content": "2+2?"}]},
    "response": {
        "id": "resp_1",
        "model": "policy",
        "object": "response",
        "output": [
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "\\boxed{4}", "annotations": []}],
            }
        ],
    },
    "expected_answer": "4",
}
ROLL = {"prompt": "2+2?", "response": "\\boxed{4}", "reward_info": {"ground_truth": "4"}}
HOOK = {"webhook": "http://127.0.0.1:9/trueward", "webhook_secret": "whsec_" + "c2Vj" * 8}
DRAW = {"name": "weekly", "subject": MATH, "population": {"run": "r17"}, "rest": 1.0}


@dataclass(frozen=True, slots=True)
class Step:
    """A request; before the next step its answer has the state ``waits`` and something at the place ``tells``."""

    operation: str
    body: Any = None
    path: Mapping[str, str | int] = field(default_factory=dict)
    query: Mapping[str, str | int | float] = field(default_factory=dict)
    waits: str | None = None
    tells: str | None = None


def in_recipe(operation: str, body: Any = None, **query: str) -> Step:
    return Step(operation, body, {"recipe": "math"}, query)


def on_model(operation: str, body: Any = None) -> Step:
    return Step(operation, body, {"name": "prm"})


ITEM = {"draw": "<make_draw.id>", "position": "<next_item.position>"}
NEXT = Step("next_item", {"annotator": "bob"}, {"draw": "<make_draw.id>"})
SCORING = [
    Step("verify", {**MATH, "run": "r17", "step": 1, "samples": PAIR}),
    Step("rewards", {"recipe": "math", "run": "r17", "step": 1, "samples": PAIR}),
    Step("select", {"method": "majority", **MATH, "candidates": PAIR}),
    Step("list_verifiers"),
    Step("show_verifier", path={"name": "choice"}),
    Step("list_presets"),
    Step("add_preset", {"name": "polite", "files": FILES}),
    Step("show_preset", path={"name": "polite"}),
    Step("list_languages"),
    Step("list_recipes"),
    Step("validate_recipe", RECIPE),
    Step("put_recipe", {**RECIPE, "invalid": -1}, {"name": "mine"}),
    Step("put_recipe", RECIPE, {"name": "mine"}),
    Step("show_recipe", path={"name": "mine"}),
    Step("list_versions", path={"name": "mine"}),
    Step("compare_versions", path={"name": "mine"}),
    Step("create_job", {**MATH, "samples": PAIR, **HOOK}),
    Step("list_jobs", query={"limit": 10}),
    Step("show_job", path={"job": "<create_job.id>"}, waits="completed"),
    Step("cancel_job", path={"job": "<create_job.id>"}),
]
LEDGER = [
    Step("list_verdicts", query={"run": "r17", "limit": 10}),
    Step("list_rewards", query={"run": "r17", "limit": 10}),
    Step("show_record", path={"record": "<verify.verdicts.0.record>"}),
    Step("explain_reward", path={"record": "<rewards.rewards.0.record>"}),
    Step("list_runs", query={"limit": 10}),
    Step("show_run", path={"run": "r17"}),
    Step("show_steps", path={"run": "r17"}),
    Step("show_changes", path={"run": "r17"}, query={"since": 1}),
    Step("examine_run", path={"run": "r17"}),
    Step("pin_run", {"strict": True, "reason": "to be reproduced"}, {"run": "r17"}),
    Step("list_prompts", query={"run": "r17"}),
    Step("correlate_criteria", query={"run": "r17"}),
    Step("show_probes"),
]
LABELS = [
    Step("store_labels", {"labels": [{"record": "<verify.verdicts.0.record>", "right": True, "annotator": "ann"}]}),
    Step("list_labels", query={"annotator": "ann", "limit": 10}),
    Step("make_case", {}, {"label": "<list_labels.labels.0.id>"}),
    Step("make_draw", DRAW),
    Step("list_draws", query={"limit": 10}),
    Step("show_draw", path={"draw": "<make_draw.id>"}),
    NEXT,
    Step("release_item", {"annotator": "bob"}, ITEM),
    NEXT,
    Step("submit_label", {"annotator": "bob", "right": False}, ITEM),
    NEXT,
    Step("skip_item", {"annotator": "bob"}, ITEM),
    Step("show_agreement", query={"draw": "<make_draw.id>"}),
    Step("pursue_aim", {"subject": MATH, "population": {"run": "r17"}, "width": 0.1}),
]
AUDITS = [
    Step("plan_labels", {"max_fpr": 0.02}),
    Step("start_audit", {"name": "nightly", "audit": {"kind": "labelled", "subject": MATH}}),
    Step("list_audits", query={"subject": "math", "limit": 10}),
    Step("show_progress", path={"audit": "<start_audit.id>"}, waits="completed"),
    Step("show_audit", path={"audit": "<start_audit.id>"}),
    Step("show_report", path={"audit": "<start_audit.id>"}, query={"format": "json"}),
    Step("check_audit", path={"audit": "<start_audit.id>"}, query={"max_fpr": 0.02}),
    Step("cancel_audit", path={"audit": "<start_audit.id>"}),
]
WATCH = [
    Step("look_at_run", path={"run": "r17"}),
    Step("show_status", path={"run": "r17"}),
    Step("put_watch", {"run": "r17*", "every_s": 300, "action": "alarm"}, {"name": "fresh"}),
    Step("list_watches"),
    Step("show_watch", path={"name": "fresh"}),
    Step("delete_watch", path={"name": "fresh"}),
    Step("list_alarms", query={"state": "open"}),
    Step("list_deliveries", query={"subject": "<create_job.id>"}, tells="deliveries.0.outcome"),
    Step("show_delivery", path={"delivery": "<list_deliveries.deliveries.0.id>"}),
    Step("freeze_recipe", {"reason": "rewards rose over night"}, {"recipe": "<put_recipe.hash>"}),
    Step("list_freezes"),
    Step("lift_freeze", path={"recipe": "<put_recipe.hash>"}, query={"reason": "it was the data"}),
    Step("delete_recipe", path={"name": "mine"}),
    Step("list_suspects", query={"run": "r17", "verifier": "math", "second": "numeric"}),
    Step(
        "correct_reference",
        {"record": "<verify.verdicts.0.record>", "reference": "5/6", "reason": "plain", "annotator": "ann"},
    ),
    Step("list_references", query={"limit": 10}),
    Step("show_reference", path={"reference": "<correct_reference.id>"}),
    Step("reverify_reference", {}, {"reference": "<correct_reference.id>"}),
]
MODELS = [
    Step("add_model", {"name": "prm", "kind": "reward", "path": "/srv/models/prm", "dtype": "float32"}),
    Step("list_models"),
    on_model("load_model"),
    on_model("show_model"),
    on_model("push_weights", {"path": "/srv/models/prm-next"}),
    on_model("ask_model", {"question": {"kind": "classify", "text": "2 + 2 = 4"}}),
    on_model("delete_model"),
    Step("add_model", {"name": "judge", "kind": "causal", "path": "/srv/models/judge", "dtype": "float32"}),
    Step("try_preset", {"sample": SAMPLE}, {"name": "polite"}),
]
ADMINISTRATION = [
    Step("create_project", {"name": "research", "retention_days": 90}),
    Step("list_projects"),
    Step("show_project", path={"project": "research"}),
    Step("change_project", {"weight": 2}, {"project": "research"}),
    Step("create_key", {"name": "trainer", "scopes": ["score"], "project": "research"}),
    Step("list_keys"),
    Step("change_key", {"samples_per_minute": 60000}, {"key_id": "<create_key.id>"}),
    Step("rotate_key", {"grace_s": 3600}, {"key_id": "<create_key.id>"}),
    Step("revoke_key", path={"key_id": "<create_key.id>"}),
    Step("create_project", {"name": "pilot"}),
    Step("delete_project", path={"project": "pilot"}),
    Step("list_acts", query={"limit": 10}),
    Step("count_deletion", {"run": "r17"}),
    Step("create_deletion", {"older_than_days": 90}),
    Step("list_deletions", query={"limit": 10}),
    Step("show_deletion", path={"deletion": "<create_deletion.id>"}),
]
TRAINERS = [
    in_recipe("openrlhf_rewards", {"query": ["2+2?\\boxed{4}"], "prompts": ["2+2?"], "labels": ["4"]}),
    in_recipe("llama_factory_scores", {"model": "rm", "messages": ["<|user|>2+2?<|assistant|>4"]}),
    in_recipe("slime_reward", {"prompt": "2+2?", "response": "\\boxed{4}", "label": "4"}),
    in_recipe("slime_scores", {"prompt": "2+2?", "response": "\\boxed{4}", "label": "4"}),
    Step(
        "eval_protocol_score",
        {
            "messages": [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "\\boxed{4}"}],
            "ground_truth": "4",
        },
        {"recipe": "math"},
    ),
    in_recipe("nemo_gym_verify", ROLLOUT),
    in_recipe("nemo_gym_session"),
    in_recipe("nemo_gym_reverify_mode"),
    in_recipe("nemo_gym_metrics", {"verify_responses": [{"reward": 1.0, "_ng_task_index": 0, "_ng_rollout_index": 0}]}),
    in_recipe("roll_submit", ROLL),
    in_recipe("roll_result_by_post", {"reward_request_id": "<roll_submit.reward_request_id>"}),
    Step("run_grader", {"grader": GRADER, "model_sample": "4", "item": {}}),
    Step("validate_grader", {"grader": GRADER}),
    Step("run_code", {"language": "python", "code": "print(input())", "stdin": "hello"}),
    Step("test_program", {"program": PROGRAM, "tests": ["assert double(2) == 4", "assert double(2) == 5"]}),
    Step("test_program_stdio", {"program": "print(input())", "tests": [{"input": "hello", "output": "hello"}]}),
]
STEPS = [*SCORING, *LEDGER, *LABELS, *AUDITS, *WATCH, *MODELS, *TRAINERS, *ADMINISTRATION]

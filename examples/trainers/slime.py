"""slime's remote reward model, as a number and as an object: ten tries, the pause doubles up to 30 s."""

from __future__ import annotations

from trainers.manners import Line, Manners
from trainers.protocol import Client, Heard, Service, Task

MANNERS = Manners(120.0, tries=10, pause_s=lambda tried: min(2.0**tried, 30.0), again=lambda status: True)


def _body(task: Task) -> dict[str, str | None]:
    return {"prompt": task.prompt, "response": task.response, "label": task.reference}


async def ask(line: Line, service: Service, task: Task) -> Heard:
    said = await line.post(f"{service.url}/t/{service.recipe}/slime?run={service.run}-slime", _body(task))
    return Heard(float(said))


async def ask_for_an_object(line: Line, service: Service, task: Task) -> Heard:
    """With ``--reward-key score``."""
    said = await line.post(f"{service.url}/t/{service.recipe}/slime/object?run={service.run}-object", _body(task))
    return Heard(said["score"], said["missing"] == 1.0)


async def distil(line: Line, service: Service, task: Task) -> Heard:
    """On-policy distillation: the teacher's log-probabilities of the response's tokens, summed up.

    The trainer has the tokens; here they are asked for first, by the text.
    """
    url = f"{service.url}/generate?model={service.causal_model}"
    sampling = {"temperature": 0.8, "max_new_tokens": 0, "skip_special_tokens": False}
    more = {"sampling_params": sampling, "return_logprob": True, "logprob_start_len": 0}
    prompt, whole = [
        (await line.post(url, {"text": text, **more}))["meta_info"]["input_token_logprobs"]
        for text in (task.prompt + " ", f"{task.prompt} {task.response}")
    ]
    ids = [token for _, token, _ in whole]
    said = await line.post(url, {"input_ids": ids, **more})
    length = len(whole) - len(prompt)
    logprobs = [item[0] for item in said["meta_info"]["input_token_logprobs"][1:]]
    return Heard(sum(logprobs[len(logprobs) - length :]))


CLIENTS = (
    Client("slime", "answer", MANNERS, ask),
    Client("slime/object", "answer", MANNERS, ask_for_an_object),
    Client("slime distillation", "model", MANNERS, distil, model="causal_model"),
)

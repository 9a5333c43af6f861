"""What a policy or a caller may write to harm whoever reads it, and a service whose ledger is full of it."""

from __future__ import annotations

from typing import Any

import httpx2
from playwright.sync_api import Page

_RUN = "window.__ran=1"
PAYLOADS = (
    f"<script>{_RUN}</script>",
    f"<SCRIPT SRC=data:text/javascript,{_RUN}></SCRIPT>",
    f"<scr<script>ipt>{_RUN}</scr</script>ipt>",
    f"<img src=x onerror={_RUN}>",
    f'<img src="x" onerror="{_RUN}">',
    f"<IMG SRC=x OnErRoR={_RUN}//",
    f"<svg onload={_RUN}>",
    f"<svg/onload={_RUN}//",
    f"<svg><script>{_RUN}</script></svg>",
    f"<svg><animate onbegin={_RUN} attributeName=x dur=1s>",
    f"<svg><a xlink:href=javascript:{_RUN}><rect width=99 height=99 /></a></svg>",
    f"<math><mtext></mtext><script>{_RUN}</script></math>",
    f"<math><maction actiontype=statusline xlink:href=javascript:{_RUN}>x</maction></math>",
    f"<body onload={_RUN}>",
    f"<iframe srcdoc='<script>parent.{_RUN}</script>'></iframe>",
    f"<iframe src=javascript:parent.{_RUN}></iframe>",
    f"<object data=javascript:{_RUN}></object>",
    f"<embed src=javascript:{_RUN}>",
    f"<a href=javascript:{_RUN} autofocus onfocus={_RUN}>x</a>",
    f"<input autofocus onfocus={_RUN}>",
    f"<details open ontoggle={_RUN}>x</details>",
    f"<video><source onerror={_RUN}></video>",
    f"<audio src=x onerror={_RUN}></audio>",
    f"<marquee onstart={_RUN}>x</marquee>",
    f"<select autofocus onfocus={_RUN}></select>",
    f"<form action=javascript:{_RUN}><button autofocus>x</button></form>",
    f"<button formaction=javascript:{_RUN}>x</button>",
    f"<meta http-equiv=refresh content='0;url=javascript:{_RUN}'>",
    "<meta http-equiv=refresh content='0;url=https://evil.invalid/'>",
    "<base href=https://evil.invalid/>",
    "<link rel=stylesheet href=https://evil.invalid/x.css>",
    "<style>@import 'https://evil.invalid/x.css'; body{display:none}</style>",
    f"<style onload={_RUN}></style>",
    f"</textarea><script>{_RUN}</script>",
    f"</title><script>{_RUN}</script>",
    f"</pre></code></td></table><script>{_RUN}</script>",
    f"--><script>{_RUN}</script><!--",
    f"]]><script>{_RUN}</script>",
    f'" onmouseover="{_RUN}" autofocus onfocus="{_RUN}" x="',
    f"' onmouseover='{_RUN}' autofocus onfocus='{_RUN}' x='",
    f"` onmouseover={_RUN} `",
    f"javascript:{_RUN}",
    f"{{{{ constructor.constructor('{_RUN}')() }}}}",
    "{{ 7 * 7 }}{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    f"<div hx-on:load='{_RUN}' hx-get='/ui/' hx-trigger='load' hx-vals='js:{{x: ({_RUN})}}'>x</div>",
    f"<div data-hx-get=https://evil.invalid/ data-hx-trigger=load data-copy=x onclick={_RUN}>x</div>",
    f"$\\href{{javascript:{_RUN}}}{{x}}$ $\\text{{<img src=x onerror={_RUN}>}}$ $\\unicode{{x3c}}script>$",
    f"\\[\\style{{background:url(javascript:{_RUN})}}{{x}}\\] \\(&#x3c;img src=x onerror={_RUN}&#x3e;\\)",
    f"```html\n<img src=x onerror={_RUN}>\n``` ```python\n'</code><script>{_RUN}</script>'\n```",
    f"\u202e<script>{_RUN}</script>\u2066\u200b\x00\x1b[31m\u0000{'e' + chr(0x301) * 400}",
    f"+ADw-script+AD4-{_RUN}+ADw-/script+AD4-",
    f"%3Cscript%3E{_RUN}%3C/script%3E &lt;script&gt;{_RUN}&lt;/script&gt;",
    f"[x](javascript:{_RUN}) [y](<javascript:{_RUN}> 'z') [w][v] <javascript:{_RUN}>\n\n[v]: javascript:{_RUN}",
    f"![x](https://evil.invalid/x.png 'onerror={_RUN}') ![y](x onerror={_RUN}) [![z](data:x,y)](//evil.invalid)",
    f"**<img src=x onerror={_RUN}>** *<svg onload={_RUN}>* ~~<script>{_RUN}</script>~~ `<script>{_RUN}</script>`",
    f"| <script>{_RUN}</script> | b |\n|---|:-:|\n| <img src=x onerror={_RUN}> | [a](javascript:{_RUN}) | more |",
    f"# <script>{_RUN}</script>\n> <iframe src=javascript:parent.{_RUN}>\n\n- <svg onload={_RUN}>\n\n    <b>x</b>\n***",
    f'```html" onmouseover="{_RUN}\n</pre><script>{_RUN}</script>\n```\n~~~"><img src=x onerror={_RUN}>\nx\n~~~',
    f"\ufdd00\ufdd1 \ufdd099999999\ufdd1 \\boxed{{<script>{_RUN}</script> words}} $ <img src=x onerror={_RUN}> ^ $",
    f"<think><script>{_RUN}</script> **deep** </think> <thought>[x](javascript:{_RUN})",
    "*a **b " * 40 + "`" * 50 + "> " * 60 + "|a" * 60,
)
LONG = "A" * 300_000 + "\n" + "\u202e" * 5000 + "$x^2$ " * 5000
"""Longer than a page shows, with more marks and formulas than one wants to read."""


def sample(payload: str, number: int) -> dict[str, Any]:
    """A sample with the payload in every field that a policy or a caller controls."""
    return {
        "id": f"{number} {payload}"[:500],
        "prompt": f"{payload} What is 6 * 7?",
        "response": f"{payload}\n\\boxed{{{payload}}}",
        "reference": payload,
        "group": payload[:500],
        "pair": payload[:500],
        "data_source": payload,
        "metadata": {payload: payload, "labels": [payload]},
        "reasoning": payload,
        "prefix": payload,
        "finish_reason": "stop",
    }


def seed(http: httpx2.Client) -> list[str]:
    """Judges and prices every payload in a run that is named like one; the records of the verdicts."""
    samples = [sample(payload, number) for number, payload in enumerate(PAYLOADS)]
    samples.append({"id": "long", "prompt": LONG, "response": LONG, "reference": "42"})
    shared = {"step": 1, "policy": PAYLOADS[3][:200], "samples": samples}
    http.put("/v1/recipes/hostile", json=_recipe()).raise_for_status()
    records: list[str] = []
    for number, name in enumerate((PAYLOADS[0], PAYLOADS[38], PAYLOADS[49][:60])):
        said = http.post("/v1/verify", json={"verifier": ("exact", "choice", "regex")[number], "run": name, **shared})
        assert said.status_code == 200, said.text
        records += [one["record"] for one in said.json()["verdicts"]]
    priced = http.post("/v1/rewards", json={"recipe": "hostile", "run": PAYLOADS[4], **shared})
    assert priced.status_code == 200, priced.text
    return [*records, *(one["record"] for one in priced.json()["rewards"])]


def assert_inert(page: Page) -> None:
    """No payload ran, none became an element, and the page is still ours."""
    page.wait_for_timeout(50)
    assert page.evaluate("window.__ran") is None
    assert page.evaluate("document.querySelectorAll('iframe, object, embed, base, marquee, video, audio').length") == 0
    assert page.evaluate("document.querySelectorAll('script:not([src])').length") == 0
    handlers = (
        "[...document.querySelectorAll('*')].filter(one => [...one.attributes].some("
        "at => /^on/i.test(at.name) || /^(data-)?hx-on/.test(at.name) || /^\\s*javascript:/i.test(at.value))).length"
    )
    assert page.evaluate(handlers) == 0
    assert page.locator("header.bar").is_visible()


def _recipe() -> dict[str, Any]:
    return {"description": PAYLOADS[0] + PAYLOADS[38], "terms": [{"verifier": "exact", "name": "exact"}]}

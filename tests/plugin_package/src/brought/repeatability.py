"""An audit: does the subject say the same of a response when it is asked again?"""

from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport, GivenSamples, PluginAudit, Table
from trueward_server.authoring import AuditWork, choose_samples


async def repeatability(spec: PluginAudit, work: AuditWork) -> AuditReport:
    """``params`` may have ``times``, how often each response is judged."""
    times = spec.params.get("times", 2)
    if not isinstance(times, int):
        raise InvalidRequest("`times` is a whole number")
    samples = await choose_samples(spec.given or GivenSamples(), work, needs_reference=False)
    said: list[set[str]] = [set() for _ in samples]
    for done in range(times):
        judged = [one async for block in work.judging.judge(spec.subject, samples) for one in block]
        for outcomes, one in zip(said, judged, strict=True):
            outcomes.add(one.outcome.value)
        await work.progress(done + 1, times)
    changed = [place for place, outcomes in enumerate(said) if len(outcomes) > 1]
    rows = [[place, ", ".join(sorted(said[place]))] for place in changed]
    table = Table(title="Responses of which it said several things", columns=["sample", "outcomes"], rows=rows)
    return AuditReport(findings={"judged": len(samples), "changed": len(changed)}, tables=[table])

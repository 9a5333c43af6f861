"""Words before a bare call that say it is not made: ``I would not call {...}``, ``Example: {...}``.

Only what stands right before it counts, within its sentence. Calls in tags and behind special tokens are made whatever
the words before them say: servers carry them out.
"""

from __future__ import annotations

import re

_REACH = 80
_MENTION = re.compile(
    r"(?:"
    # a denial, and nothing but the verb and its object behind it
    r"(?<!\w)(?:not|never|cannot|\w{2,8}n['’]t|without|avoid|instead\sof|rather\sthan)"
    r"(?:\s(?:be|do|to|use|used|using|call|called|calls|calling|run|running|make|making|made|invoke|invoking|write|send|need|needed"
    r"|necessary|required|want|going|is|it|the|this|that|these|a|an|any|my|our|tool|function|call|right|correct|following|with|as|like"
    r"|such))*"
    r"|(?<!\w)(?:(?:for\s)?(?:example|instance)s?|e\.\s?g\.|sample|wrong|incorrect|template)"
    r"(?:\s(?:of\s)?(?:a\s|an\s|the\s)?(?:tool\s|function\s)?(?:call|calls|usage|format|output|answer|response|action))?(?:\s(?:is|would\sbe|only))?"
    r"|(?<!\w)(?:beispiel|z\.\s?b\.|par\sexemple|exemple|ejemplo|por\sejemplo|esempio|exemplo|пример|например|(?<!\w)не)"
    r"|例如|示例|例子|比如|不要调用|不调用|例"
    r")[\s:：,，*_`'\"(-]*\Z",
    re.IGNORECASE,
)


def is_mentioned(before: str) -> bool:
    """Whether the text before a call says that the call is not made, or only an example."""
    return _MENTION.search(before[-_REACH:]) is not None

r"""Words around a value that deny it, rule it out, compare the answer with it, or take it back.

``it is not \boxed{5}``, ``42 değil``, ``less than 42``, ``42 fails``, ``42. Wait, I made an error: it is 43``. The
English words that verifiers of values, options, labels and names share stand here once; a verifier adds the words of
its own field. Only what stands beside the value on its line denies it, and nothing from beyond the end of a sentence.
"At least 42" and "up to 42" do not: they are what questions ask for. Checking takes nothing back: ``Wait, let me
verify: 6 * 7 = 42``.
"""

from __future__ import annotations

import re
from functools import lru_cache

from verifiers.extract.doubt import is_supposed, is_unclaimed
from verifiers.extract.vocabulary import denial_after, denial_before, misnamed_before, misnomers

WRONG = r"(?:wrong|incorrect|false)"
"""What a value is said to be that is none."""
IS_NOT = rf"(?:n['’ ]t|\snot)(?!\s(?:{WRONG}|only))"
"""What follows *is* and denies it; "is not wrong" and "is not only" do not."""
RULE_OUT = r"(?:rul(?:e|es|ed|ing)\sout|exclud(?:e|es|ed|ing)|reject(?:s|ed|ing)?|discard(?:s|ed|ing)?)"
"""Verbs whose object is no answer."""
RULED_OUT = r"(?:ruled\sout|excluded|rejected|discarded|eliminated)"
"""What follows *is* of a value that is no answer."""
BESIDE = r"(?:except|besides|other\sthan|rather\sthan|instead\sof|all\sbut|(?:any|every)(?:thing|one|body)\sbut)"
"""Words before what the answer is not."""

_REACH = 40
"""Characters before and after the value that are looked at."""
_LAYOUT = " \t$*_`\"'\\([{&="
_ENDS = (".", "!", "?", ";", ":", ",")
_EXCLUDED_BEFORE = re.compile(
    r"(?<!\w)(?:(?:less|fewer|more|greater|larger|smaller|bigger|higher|lower|other|different|faster|slower|longer|shorter"
    rf"|heavier|lighter)\sthan|exceed(?:s|ed|ing)?|{RULE_OUT}"
    r"|(?:everything|anything|all|any)\s(?:but|except)|contradict(?:s|ion)(?:\s(?:for|with|at))?)"
    r"[\W_]{1,6}\Z",
    re.IGNORECASE,
)
# what makes another number of the one after it
_MADE_OF = re.compile(
    r"(?<!\w)(?:half|twice|thrice|double|triple|minus|plus|times|divided\sby|(?:a|one)\s(?:third|quarter|fifth|tenth)|(?:square|cube|reciprocal|negative"
    r"|opposite|absolute\svalue|factorial|(?:square|cube)\sroot)\sof)(?:\sof)?[\s$*(]{1,4}\Z",
    re.IGNORECASE,
)
_EXCLUDED_AFTER = re.compile(
    rf"[\W_]{{0,4}}\s(?:(?:is|are|was|were|must\sbe|can\sbe)\s(?:\w{{1,10}}ly\s)?(?:{RULED_OUT}"
    r"|impossible|not\s(?:possible|allowed|valid)|invalid|extraneous|too\s(?:big|large|high|much|many|small|low|little|few))|fails"
    r"|seems\stoo\s\w{1,6}"
    r"|squared|cubed|doubled|tripled|quadrupled|halved|dozen|factorial"
    r"|(?:does(?:n['’]t|\snot)|can(?:not|['’]t))\s(?:work|fit|hold|satisfy|be))(?!\w)",
    re.IGNORECASE,
)

# what others might say, and what a mistake would give
_SAID_BY_OTHERS = re.compile(
    r"(?<!\w)(?:(?:one|someone|people|students|some|many|most)\s(?:might|may|could|would)\s(?:\w{1,12}ly\s)?"
    r"(?:think|guess|assume|expect|believe)|(?:tempted|tempting)\sto\s\w{1,12}|not\s(?:the|an|my)\s(?:\w{1,12}\s)?answer(?=\s?:)"
    r"|(?<!avoid the )(?<!avoiding the )"
    r"(?:distractor|trap|decoy|pitfall|misconception|(?:common|usual|typical)\s(?:mistake|error))s?(?=\s(?:is|would\sbe)|\s?:))"
    r"(?:\s(?:that\s)?(?:it|this|the\s(?:\w{1,12}\s)?answer))?(?:\s(?:is|are|was|be|to\sbe|would\sbe|equals))?"
    r"\s?:?[\W_]{0,4}\Z",
    re.IGNORECASE,
)
_RETRACTION_REACH = 1_000
"""Characters after an answer in which a retraction is looked for."""
_VALUE = r"(?=[-$\\(*\[\"' ]{0,6}(?:\d|[A-Z](?![\w'’])|\\[a-z]))"
_RETRACTION = re.compile(
    r"(?<!\w)(?:no,?\swait|wait[,.!…\s–—-]{1,6}(?:no(?!\w)|actually|(?:that|this|it)(?:['’]s|\sis)\s(?:wrong|incorrect|not))"
    r"|i(?:['’]ve|\shave)?\smade\s(?:a|an)\s(?:\w{1,20}\s){0,2}(?:mistake|error)|(?:scratch|strike)\sthat|just\skidding"
    rf"|(?:oops|sorry|psych)[,:.!…\s–—-]{{1,4}}(?:(?:it|that)['’]s\s|i\smeant\s)?{_VALUE}"
    r"|on\ssecond\sthoughts?|let\sme\scorrect\s(?:that|this|it|myself|my)|correction\s?:|i\smeant|my\s(?:bad|mistake)"
    r"|(?:it|this|that|the\s(?:\w{1,10}\s)?answer)\sshould\s(?:(?:actually|really|instead)\sbe|have\sbeen)"
    rf"|actually,?\s(?:it(?:['’]s|\sis)\s|that(?:['’]s|\sis)\s|the\s(?:\w{{1,10}}\s)?answer\s(?:is|should\sbe)\s)?{_VALUE})"
    r"[\s,.:;!…–—-]*",
    re.IGNORECASE,
)


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether what stands around ``text[start:end]`` says that it is not the answer, or does not say that it is."""
    line = text.rfind("\n", 0, start) + 1
    if _denies_next(text[max(line, start - _REACH) : start].lower()):
        return True
    if denial_after().match(text[end : end + _REACH].lower()) is not None:
        return True
    return is_unclaimed(text, start, end) or is_supposed(text, start, end)


@lru_cache(maxsize=1024)
def _denies_next(before: str) -> bool:
    """Whether words say that what follows them is not the answer. A policy leads to its answers in the same words:
    those of the latest are not looked at again."""
    if not before.rstrip(_LAYOUT).endswith(_ENDS) and denial_before().search(before):
        return True
    if any(map(before.__contains__, misnomers())) and misnamed_before().search(before):
        return True
    return _SAID_BY_OTHERS.search(before) is not None


def is_excluded(text: str, start: int, end: int) -> bool:
    """Whether the line says of ``text[start:end]`` that the answer is beside it, or another one."""
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - _REACH) : start]
    if "=" not in text[start:end] and _MADE_OF.search(before):
        return True
    return bool(_EXCLUDED_BEFORE.search(before) or _EXCLUDED_AFTER.match(text[end : end + _REACH]))


def find_retraction(text: str, start: int) -> int | None:
    """Where what stands instead begins, after the last retraction beyond ``start``; None where there is none.

    Only phrases that say so by themselves count.
    """
    end = None
    for found in _RETRACTION.finditer(text, start, start + _RETRACTION_REACH):
        end = found.end()
    return end

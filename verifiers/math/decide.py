"""The comparison of two answers, part by part where they have parts; ``leaf`` compares two single ones.

In the server the leaf is :func:`verifiers.math.compare.compare` alone, in a worker it goes on to symbolic
proof. None means that the leaf could not tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from verifiers.math.algebra.decision import Decision
from verifiers.math.algebra.grammar import MOST_TERMS, expression
from verifiers.math.compare import has_other_name
from verifiers.math.dimensions import same_dimensions
from verifiers.math.otherwise import read_otherwise
from verifiers.math.piecewise import compare_pieces, is_piecewise
from verifiers.math.reading.approximate import contradicts
from verifiers.math.reading.cases import OTHERWISE, pieces
from verifiers.math.reading.choose import rewrite_binomials
from verifiers.math.reading.form import Form, form
from verifiers.math.reading.option import letter, rest
from verifiers.math.reading.sequence import Sequence, components, sequence
from verifiers.math.reading.statement import same_letters
from verifiers.math.single import families, regions
from verifiers.math.solutions.region import regional
from verifiers.math.solutions.unknowns import clash, named_throughout, orders

Leaf = Callable[[Form, Form], Decision | None]
_DEEPEST = 4
_OPTIONS = tuple("ABCDEFGHIJVX")
_GROUPS = re.compile(r"[-+(\[]?[\d.]+(?:,-?[\d.]+)+[)\]]?", re.ASCII)
_TERMS = re.compile(r"(?:[-\w\s.:/^+*()]|\\(?:frac|sqrt|pi|cdot|times)(?![A-Za-z])|[{}])+")


def decide(answer: Form, reference: Form, leaf: Leaf, depth: int = 0) -> Decision | None:
    found = _decide(answer, reference, leaf, depth)
    if depth or (found is not None and found.equal):
        return found
    if (plainly := _unconditioned(answer, reference, leaf)) is not None:
        return plainly
    for rule, ours, theirs in read_otherwise(answer, reference):
        read = _decide(ours, theirs, leaf, 1)
        if read is not None and read.equal:
            return replace(read, rules=(*read.rules, rule))
    # (B) 42 beside 42: the option's text is the answer where the reference names no option
    texts = rest(answer.text), rest(reference.text)
    if bool(texts[0]) == bool(texts[1]) or letter(answer.text if texts[1] else reference.text):
        return found
    ours, theirs = (form(text) if text else one for text, one in zip(texts, (answer, reference), strict=True))
    again = _decide(ours, theirs, leaf, 1)
    return again if again is not None and again.equal else found


def _unconditioned(answer: Form, reference: Form, leaf: Leaf) -> Decision | None:
    """Equal without the condition that one side alone states; None where they are not, or both or none has one."""
    bare = strip_condition(answer.text), strip_condition(reference.text)
    if bool(bare[0]) == bool(bare[1]):
        return None
    ours, theirs = (form(text) if text else one for text, one in zip(bare, (answer, reference), strict=True))
    found = _decide(ours, theirs, leaf, 1)
    return replace(found, rules=(*found.rules, "condition")) if found is not None and found.equal else None


def _decide(answer: Form, reference: Form, leaf: Leaf, depth: int) -> Decision | None:
    if answer.text == reference.text or answer.value is not None is not reference.value or depth > _DEEPEST:
        return leaf(answer, reference)
    if has_other_name(answer, reference):
        return Decision(False, "unequal_variable")
    terms = answer.core.count(":"), reference.core.count(":")
    ratios = max(terms) > 1 and terms[0] != terms[1] and not reference.moment
    if ratios and all(_TERMS.fullmatch(one.core) for one in (answer, reference)):
        return Decision(False, "unequal_length")  # a ratio of several is no other one, and no quotient
    if (
        depth == 0
        and (found := same_dimensions(answer, reference, leaf) or _whole(answer, reference, leaf)) is not None
    ):
        return found
    if (
        depth == 0
        and reference.text[:1] in _OPTIONS
        and (letters := same_letters(answer.text, reference.text)) is not None
    ):
        return Decision(letters, "equal_option" if letters else "unequal_option")
    if answer.moment or reference.moment or (reference.wordy and not _measures(answer, reference)):
        return _words(answer, reference, leaf)
    ours = sequence(answer.core) if answer.value is None or _grouped(answer, reference) else None
    theirs = sequence(reference.core) if reference.value is None or _grouped(reference, answer) else None
    if ours is None and theirs is None:
        return leaf(answer, reference)
    ours, theirs = ours or _vector(answer, theirs), theirs or _vector(reference, ours)
    if _clash(answer, reference):
        return Decision(False, "unequal_variable")
    if ours is None or theirs is None:
        return _one_sided(answer, reference, ours, theirs, leaf, depth)
    if answer.approximate and not reference.approximate and contradicts(answer):
        return Decision(False, "false_equation")
    ours, theirs = named_throughout(ours), named_throughout(theirs)
    if clash(ours, theirs):
        return Decision(False, "unequal_brackets")
    if ours.brackets == "()" and theirs.brackets == "{}" and len(theirs.parts) == 1:
        return _braced(decide(answer, form(theirs.parts[0]), leaf, depth + 1))
    if ours.brackets == "{}" and theirs.brackets == "()" and len(ours.parts) == 1:
        return _braced(decide(form(ours.parts[0]), reference, leaf, depth + 1))
    if ours.brackets == theirs.brackets == "()":
        ours, theirs = _in_place(ours, answer, reference), _in_place(theirs, reference, answer)
    if ours.brackets == "" and theirs.brackets == "()":
        ours = _named(ours, reference.variable)
    elif theirs.brackets == "" and ours.brackets == "()":
        theirs = _named(theirs, answer.variable)
    elif ours.brackets == theirs.brackets == "":
        ours, theirs = _unnumbered(ours, theirs)
        if not any(form(part).variable or form(part).label for part in ours.parts) and (given := orders(theirs)):
            fits = [_all_of(ours.parts, order, leaf, depth) for order in given]
            return next((one for one in fits if one is not None and one.equal), fits[0])
    return _sequences(ours, theirs, lambda a, r: decide(form(a), form(r), leaf, depth + 1))


_IN_LETTERS = re.compile(r"(?:[-+\s\d./*ijk{}]|\\(?:frac|sqrt|cdot)(?![A-Za-z]))+")
_UNIT_LETTER = re.compile(r"(?<![A-Za-z\\])([ijk])(?![A-Za-z])")


def _vector(one: Form, other: Sequence | None) -> Sequence | None:
    """``3i + 4j`` as a vector beside one; None where it is none."""
    if other is None or other.brackets != "()" or one.value is not None:
        return None
    if not _IN_LETTERS.fullmatch(one.core) or not ("j" in one.core or "k" in one.core):
        return None
    parts = components(_UNIT_LETTER.sub(r"\\hat{\1}", one.core))
    return Sequence("()", parts) if parts is not None and len(parts) == len(other.parts) else None


def _all_of(ours: tuple[str, ...], theirs: tuple[str, ...], leaf: Leaf, depth: int) -> Decision | None:
    """Of two lists in their order."""
    if len(ours) != len(theirs):
        return Decision(False, "unequal_length")
    return _all([decide(form(a), form(r), leaf, depth + 1) for a, r in zip(ours, theirs, strict=True)])


def _measures(answer: Form, reference: Form) -> bool:
    """Whether both are lists as long, and each part of the reference is no words but a quantity."""
    ours, theirs = sequence(answer.core), sequence(reference.core)
    if ours is None or theirs is None or len(ours.parts) != len(theirs.parts):
        return False
    return not any(form(part).wordy for part in theirs.parts)


def _grouped(one: Form, other: Form) -> bool:
    """Whether the commas of a number (``60,180``) part a list beside one that surely is: ``60, 180``."""
    return other.value is None and not other.unit and _GROUPS.fullmatch(one.core) is not None


def _words(answer: Form, reference: Form, leaf: Leaf) -> Decision | None:
    """Words as they stand, or as a bare list in any order: ``red, blue``."""
    found = leaf(answer, reference)
    if (found is not None and found.equal) or not answer.text.count(",") == reference.text.count(",") > 0:
        return found
    ours, theirs = (sorted(part.strip().casefold() for part in one.text.split(",")) for one in (answer, reference))
    return Decision(True, "equal_parts") if ours == theirs else found


def _whole(answer: Form, reference: Form, leaf: Leaf) -> Decision | None:
    """What is no list of its parts: a function in pieces, a set of numbers, a ratio of several."""
    if 1 < answer.core.count(":") == reference.core.count(":") < MOST_TERMS:
        return _ratio(answer.core.split(":"), reference.core.split(":"), leaf)
    if "\\begin" in answer.core or "\\begin" in reference.core:
        ours, theirs = pieces(answer.core), pieces(reference.core)
        known = ours or theirs
        if known is not None and ((ours and theirs) or is_piecewise(known)):
            return compare_pieces(
                ours or ((answer.core, OTHERWISE),),
                theirs or ((reference.core, OTHERWISE),),
                lambda a, r: decide(form(a), form(r), leaf, 1),
            )
    if (found := families(answer, reference)) is not None:
        return found
    if regional(answer.text) or regional(reference.text):
        return regions(answer, reference)
    return None


def _ratio(ours: list[str], theirs: list[str], leaf: Leaf) -> Decision | None:
    """``1:2:3`` is ``2:4:6``: the cross products with the first terms are equal."""
    pairs = [(f"({a})*({theirs[0]})", f"({r})*({ours[0]})") for a, r in zip(ours[1:], theirs[1:], strict=True)]
    return _all([leaf(form(a), form(r)) for a, r in pairs])


def _unnumbered(ours: Sequence, theirs: Sequence) -> tuple[Sequence, Sequence]:
    """``x_1 = 1, x_2 = 2`` as ``x = 1, x = 2`` beside these: solutions, numbered by one side alone."""
    names = [[form(part).variable for part in one.parts] for one in (ours, theirs)]
    if not all(all(each) for each in names):
        return ours, theirs
    stems = [{name.partition("_")[0] for name in each} for each in names]
    if len(stems[0]) != 1 or stems[0] != stems[1]:
        return ours, theirs
    plainly = [all("_" not in name for name in each) for each in names]
    if plainly[0] == plainly[1] or len(ours.parts) != len(theirs.parts):
        return ours, theirs
    return tuple(replace(one, parts=tuple(form(part).core for part in one.parts)) for one in (ours, theirs))  # type: ignore[return-value]


def _named(bare: Sequence, names: str) -> Sequence:
    """``y = 2, x = 1`` as the pair (1, 2): in the order of the other side's names, else of the alphabet."""
    read = {one.variable: one.core for one in map(form, bare.parts) if one.variable}
    if len(read) != len(bare.parts):
        return bare
    if bare.alternatives:
        return bare  # x = 3 or y = -1 is no pair
    order = names.strip("()").split(",") if names else sorted(read)
    return Sequence("()", tuple(read[name] for name in order)) if set(order) == set(read) else bare


def _clash(answer: Form, reference: Form) -> bool:
    return bool(answer.variable and reference.variable) and answer.variable != reference.variable


def _one_sided(
    answer: Form, reference: Form, ours: Sequence | None, theirs: Sequence | None, leaf: Leaf, depth: int
) -> Decision | None:
    parts = (ours or theirs or Sequence("", ())).parts
    if len(parts) == 1 and depth == 0 and not parts[0].startswith(("\\{", "\\emptyset", "\\varnothing")):
        other = form(parts[0])
        return _braced(decide(other, reference, leaf, depth + 1) if ours else decide(answer, other, leaf, depth + 1))
    one, other = (answer, reference) if ours else (reference, answer)
    again = (ours or theirs or Sequence("", parts)).brackets == "" and len(set(parts)) == len(parts)
    same = (other, form(parts[0]))  # 52_8 is 42, 42_8 is written so: two values
    if again and other.value is not None and all(_is_value(part, one, leaf) for part in parts for one in same):
        return Decision(True, "equal_parts")  # 1/2, or 0.5: said again
    if other.value is not None and (chosen := rewrite_binomials(one.text)) != one.text:
        return leaf(form(chosen), other) if ours else leaf(other, form(chosen))  # C(5, 2) is a point, or a number
    if other.value is not None or expression(other.core) is not None:
        return Decision(False, "unequal_length")
    if (answer if ours else reference).variable.startswith("("):
        return Decision(False, "unequal_brackets")  # (x, y) = (2, 5) beside what is no tuple
    return leaf(answer, reference)


def _braced(found: Decision | None) -> Decision | None:
    """Of a set of one beside its element."""
    return found if found is None or not found.equal else replace(found, rules=(*found.rules, "braces"))


def _in_place(one: Sequence, own: Form, other: Form) -> Sequence:
    """``(y, x) = (2, 1)`` as (1, 2) beside a tuple without names."""
    names = own.variable.strip("()").split(",")
    if other.variable or not {*names} <= {"x", "y", "z"} or len(names) != len(one.parts) or names == sorted(names):
        return one
    read = dict(zip(names, one.parts, strict=True))
    return replace(one, parts=tuple(read[name] for name in sorted(read))) if len(read) == len(names) else one


def _is_value(part: str, other: Form, leaf: Leaf) -> bool:
    found = leaf(form(part), other)
    return found is not None and found.equal


def _sequences(ours: Sequence, theirs: Sequence, equal: Callable[[str, str], Decision | None]) -> Decision | None:
    bare = not ours.brackets or not theirs.brackets
    if bare and _is_interval(ours if ours.brackets else theirs):
        return Decision(False, "unequal_brackets")
    if bare and any(one.brackets == "()" for one in (ours, theirs)) and (ours.alternatives or theirs.alternatives):
        return Decision(False, "unequal_brackets")  # two values, no pair
    shapes = [one.brackets for one in (ours, theirs) if "x" in one.brackets]
    if bare and shapes:
        return Decision(False, "unequal_brackets")  # a list tells no rows
    if not bare and ours.brackets != theirs.brackets:
        return Decision(False, "unequal_brackets")
    if len(ours.parts) != len(theirs.parts):
        return Decision(False, "unequal_length")
    if ours.ordered or theirs.ordered or (theirs.blanks and not _named_alike(theirs)):
        found = _all([equal(a, r) for a, r in zip(ours.parts, theirs.parts, strict=True)])
    else:
        found = _unordered(list(ours.parts), theirs.parts, equal)
    if found is None or not found.equal or ours.brackets == theirs.brackets:
        return found
    return replace(found, rules=(*found.rules, "brackets"))


def _named_alike(one: Sequence) -> bool:
    """``x = 1; x = 2``: solutions of one equation, in no order; and parts of several names are told by these."""
    return all(form(part).variable for part in one.parts)


def _is_interval(one: Sequence) -> bool:
    """For sure: an end that belongs to it, or infinity."""
    if len(one.parts) != 2 or one.brackets not in ("()", "[]", "[)", "(]"):
        return False
    return one.brackets != "()" or any("\\infty" in part for part in one.parts)


def _all(found: list[Decision | None]) -> Decision | None:
    if any(decision is not None and not decision.equal for decision in found):
        return Decision(False, "unequal_parts")
    if None in found:
        return None
    return Decision(True, "equal_parts", rules=tuple(rule for one in found if one is not None for rule in one.rules))


def _unordered(
    ours: list[str], theirs: tuple[str, ...], equal: Callable[[str, str], Decision | None]
) -> Decision | None:
    """Pairs each part of the reference with the first that equals it; equality is transitive."""
    undecided = False
    unmatched = False
    rules: list[str] = []
    for reference in theirs:
        decisions = [equal(answer, reference) for answer in ours]
        match = next((i for i, decision in enumerate(decisions) if decision and decision.equal), None)
        if match is not None:
            matched = decisions[match]
            rules += matched.rules if matched is not None else ()
            del ours[match]
        elif None in decisions:
            undecided = True
        else:
            unmatched = True
    if unmatched:
        return Decision(False, "unequal_parts")
    return None if undecided else Decision(True, "equal_parts", rules=tuple(rules))


_LONGEST_CONDITION = 400
_SIDE = re.compile(
    r"\s?[,;]?\s?\(?(?:\\text\s?\{\s?\(?(?:for|where|with|if|when|provided(?: that)?|and)(?: all| any| real)?\s?\}\s?"
    r"|,?\s?(?:for|where)\s)?"
    r"(?P<name>[A-Za-z])(?:\s?(?:\\neq?(?![A-Za-z])|!=|\\not\s?=)\s?(?:[^=<>\\]|\\(?:frac|sqrt|pi|pm|land))[^=<>]{0,40}"
    r"|(?<![kmn])\s?\\in\s?\\mathbb\s?\{?\s?[RC]\s?\}?"
    # whole numbers count the members of a sequence
    r"|(?<=[kmn])\s?(?:\\ge(?:q|qslant)?\s?[012]|>\s?[01]|\\in\s?\\mathbb\s?\{?\s?N\s?\}?))\)?\Z"
)
_SIGNS_OF_A_SIDE = (">", "!=", "\\n", "\\in", "\\ge")
"""One of them stands in whatever :data:`_SIDE` finds: they are looked for faster."""
_COMMAND = re.compile(r"\\[A-Za-z]+")


def strip_condition(text: str) -> str:
    r"""The answer before a condition that its own form implies, such as ``\frac{1}{x+1}, x \ne -1``.

    Empty where none follows it, or where it is a set of numbers by itself.
    """
    if len(text) > _LONGEST_CONDITION or not any(map(text.__contains__, _SIGNS_OF_A_SIDE)):
        return ""
    found = _SIDE.search(text)
    if found is None or not found.start():
        return ""
    answer = text[: found.start()].strip(" ,;")
    letters = _COMMAND.sub(" ", answer)
    periodic = found["name"] in "kmn" and "\\pi" in answer
    return answer if found["name"] in letters and not regional(answer) and not periodic else ""

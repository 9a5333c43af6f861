"""Whether the first word of a text is a verb, by lexicon and rule.

The official checker asks NLTK's averaged perceptron tagger, a trained model. This stands in for it without one and
can differ where a word is both verb and noun: there a determiner, a pronoun or a particle after it makes it a verb.
"""

from __future__ import annotations

from verifiers.instructions.english.lexicon import lexicon

_LISTS = lexicon("verbs.txt")
_AFTER_VERBS = """
    a an the this that these those my your his her its our their me us him them it yourself yourselves myself some
    any all both each every no one two three more less up out off down away in on into with for about how why what
    whether if not n't
"""
_OBJECTS = frozenset(_AFTER_VERBS.split())
_ENDINGS = (("ies", "y"), ("es", ""), ("s", ""), ("ied", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"))
_LONG = 6
"""Letters up to which a word with the ending -ing or -ed must be a form of a verb that is listed."""
_NO_VERBS = """
    hundred sacred naked wicked rugged ragged aged indeed kindred hatred thing something anything nothing
    everything morning evening king ring spring string wing
"""
_NOUNS = frozenset(_NO_VERBS.split())


def begins_with_verb(tokens: list[str]) -> bool:
    """Whether the first of these words is a verb in any form. False for no words."""
    if not tokens:
        return False
    first = tokens[0].lower()
    if first in _LISTS["verbs"] or first in _LISTS["past"]:
        return True
    followed = len(tokens) > 1 and tokens[1].lower() in _OBJECTS
    if first in _LISTS["ambiguous"]:
        return followed
    if first in _NOUNS:
        return False
    if first.endswith("s"):
        # plural nouns look like verbs of the third person
        return followed and any(_is_base(base) for base in _bases(first))
    return first.endswith(("ing", "ed")) and (len(first) > _LONG or any(_is_base(base) for base in _bases(first)))


def _is_base(word: str) -> bool:
    return word in _LISTS["verbs"] or word in _LISTS["ambiguous"]


def _bases(word: str) -> list[str]:
    """What the word may be a form of, a doubled consonant undone."""
    bases = [word.removesuffix(ending) + instead for ending, instead in _ENDINGS if word.endswith(ending)]
    return [*bases, *(base[:-1] for base in bases if len(base) > 2 and base[-1] == base[-2])]

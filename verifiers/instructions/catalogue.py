"""The constraints that there are, by id: those of IFEval that need no model.

Left out: ``language:response_language``, because telling a language needs a trained model.
"""

from __future__ import annotations

from verifiers.instructions import casing, combination, content, keywords, layout, length, startend
from verifiers.instructions.constraint import Constraint

CONSTRAINTS: dict[str, type[Constraint]] = {
    kind.id: kind
    for kind in (
        casing.CapitalWordFrequency,
        casing.EnglishCapital,
        casing.EnglishLowercase,
        combination.RepeatPrompt,
        combination.TwoResponses,
        content.NumberPlaceholders,
        content.Postscript,
        content.RephraseParagraph,
        keywords.Existence,
        keywords.ForbiddenWords,
        keywords.Frequency,
        keywords.KeySentences,
        keywords.LetterFrequency,
        layout.ConstrainedResponse,
        layout.JsonFormat,
        layout.MultipleSections,
        layout.NumberBulletLists,
        layout.NumberHighlightedSections,
        layout.Rephrase,
        layout.Title,
        length.NthParagraphFirstWord,
        length.NumberParagraphs,
        length.NumberSentences,
        length.NumberWords,
        startend.ConstrainedStart,
        startend.EndChecker,
        startend.NoComma,
        startend.Quotation,
    )
}

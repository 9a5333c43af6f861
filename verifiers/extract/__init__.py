"""The final answer of a response: named rules in a named order, linear time, never from the thinking."""

from verifiers.extract.answer import Answer, NoAnswer
from verifiers.extract.hedge import Hedge, settle
from verifiers.extract.policy import RULES, Policy, extract

__all__ = ["RULES", "Answer", "Hedge", "NoAnswer", "Policy", "extract", "settle"]

"""What is new in later responses against earlier ones: reasons, forms of answers, phrases, clusters."""

from audits.novelty.comparison import compare
from audits.novelty.response_features import Said

__all__ = ["Said", "compare"]

"""What is new in later responses against earlier ones: reasons, forms of answers, phrases, clusters."""

from audits.novelty.comparison import compare
from audits.novelty.response_features import ResponseFeatures

__all__ = ["ResponseFeatures", "compare"]

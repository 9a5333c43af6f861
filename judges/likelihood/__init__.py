"""How likely is the reference under a model: teacher-forced log-probabilities, and what each method makes of them."""

from judges.likelihood.verifier import LikelihoodVerifier

__all__ = ["LikelihoodVerifier"]

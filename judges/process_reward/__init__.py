"""What a model says of each step of a response."""

from judges.process_reward.verifier import ProcessRewardVerifier

__all__ = ["ProcessRewardVerifier"]

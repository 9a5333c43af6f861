"""Noise correction: rewards of a verifier whose error rates are known, made unbiased.

Rates: ``false_positive`` = P(accepted | wrong) and ``false_negative`` = P(rejected | right). Their sources are a
constant, a named audit, or appeals; each corrected reward names the estimate that it used.
"""

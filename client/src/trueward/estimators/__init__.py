"""Group baselines and advantages, defined once: the service summarises groups with them, a trainer learns with them.

Every function takes the rewards of one group, one a response, ``None`` where the score is missing, and gives one
float a response. A missing score never enters a statistic, and the advantage of a missing sample is 0. Everything
is float64 and plain Python: a group has tens of members, and an array would cost more than the sum.

Not here: losses and anything that needs log-probabilities or gradients.
"""

"""The statistics of audits, as pure functions: arrays in, named tuples out; no HTTP, no database, no clock.

``confusion``, ``proportion`` and ``clusters`` say how often a verifier is wrong and how sure that is; ``drawn`` the
same from items drawn with unequal probability; ``planner`` how many labels it takes. ``rates`` hands the result to
recipes. The page docs/statistics.md lists the rest.

``import scipy`` here, and its parts by attribute: these load when they are first used, so that the service's start does
not wait for them.
"""

"""Functions that trainers already call, under their own names and signatures, judged by the verifiers of Trueward.

``trueward.compat.math_verify`` stands in for ``math_verify``, ``trueward.compat.verl`` for verl's ``compute_score``. No
service is asked: the verifiers run in child processes of the caller's (:mod:`.workers`), which need the server's
packages; see docs/trainers/drop-in.md.
"""

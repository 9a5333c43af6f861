"""Do the tests notice a fault? Small faults put into the product one at a time, drawn by chance and listed.

    python -m benchmarks.mutants choose --tree DIR             draws the list, ``chosen.json``
    python -m benchmarks.mutants map --tree DIR                which test files reach which place: one run of the suite
    python -m benchmarks.mutants run --tree DIR --stage beside the test files of the mutated module
    python -m benchmarks.mutants run --tree DIR --stage reach  the test files that reach the place, by the map
    python -m benchmarks.mutants compare BEFORE AFTER          what was noticed before and is not after

``DIR`` is a copy of the checkout with an environment of its own, since the product's files in it are changed and put
back. A mutant is known by its function and the text of its lines, not by their numbers: the same list is tried on a
later revision, where a mutant whose text is gone is reported as such.

Not covered: what stands outside functions (constants, fields, decorators, defaults of parameters), texts, and the
product's JavaScript and C.
"""

"""IFBench (Pyatkin et al. 2025, arXiv 2507.02833): its 58 constraints, to the letter of the official checker.

Each check gives the verdict of the checker with which the paper's results were made, github.com/allenai/IFBench as
first released; ``revised.py`` has the constraints that the repository judges otherwise since (commit 1d62c1d). Where
the first release crashes, the verdict is that of today, and where that crashes too, the constraint is not followed.
"""

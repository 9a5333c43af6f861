"""IFEval (Zhou et al. 2023, arXiv 2311.07911): all of its constraints that need no model.

Left out: ``language:response_language``, because telling a language needs a trained model.
"""

"""The 29 training constraints of IF-RLVR, published with IFBench (Pyatkin et al. 2025, arXiv 2507.02833).

After github.com/allenai/open-instruct, ``open_instruct/IFEvalG`` at commit 42c6d0d, whose others are those of
IFEval. Keywords are literal text, where the program there takes them for patterns.
"""

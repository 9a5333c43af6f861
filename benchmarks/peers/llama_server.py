"""A llama.cpp server on a free port of loopback: prints its URL, and serves until it is killed.

Run by the interpreter of ``.venv-llama``, with the path of a GGUF file.
"""

from __future__ import annotations

import sys
import time

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx = 8192
parameters.n_parallel = 4
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
while True:
    time.sleep(60)

"""A llama.cpp server on a free port of loopback: prints its URL, and serves until it is killed.

Run by the interpreter of ``.venv-llama``, with the path of a GGUF file, how many requests are answered at once, and
the number of threads (0: as llama.cpp chooses).
"""

from __future__ import annotations

import sys
import time

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx = 8192
parameters.n_parallel = int(sys.argv[2])
if threads := int(sys.argv[3]):
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
while True:
    time.sleep(60)

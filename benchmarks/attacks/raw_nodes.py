"""Answers with every kind of node of the protocol, badly filled, by the channel itself."""
import itertools
import json
import os

ODD = [None, True, -1, 2**70, 1.5, "nan", "zz", "1e999999999", [], [0], [1], [-1], [99], ["x"], {}, [[0]]]
KINDS = "int float complex bytes bytearray list tuple set frozenset dict ordereddict counter defaultdict deque keys values items range slice decimal fraction date time datetime timedelta timezone object valued function module iterator class exception raised handle global shared record callback callback-iterator map jsdate undefined namedtuple".split()


def frames():
    for kind in KINDS:
        for n in range(0, 4):
            for some in itertools.islice(itertools.product(ODD, repeat=n), 40):
                yield {"op": "return", "value": [0], "updates": [], "nodes": [[kind, *some], ["list", 1]]}


ALL = []
N = iter(frames())


def answer(a, b):
    for frame in itertools.islice(N, 1 + 60 * (a + 1), None, 97):
        body = json.dumps(frame).encode()
        for fd in range(3, 6):
            try:
                os.write(fd, len(body).to_bytes(4, "big") + body)
            except OSError:
                pass
    return 0

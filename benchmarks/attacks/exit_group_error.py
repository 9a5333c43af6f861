"""Raises groups of exceptions, among them those that end a process or a loop."""


def answer(a, b):
    raise BaseExceptionGroup("x", [SystemExit(0), KeyboardInterrupt(), GeneratorExit(), StopIteration(15)])


raise BaseExceptionGroup("x", [SystemExit(0)])

"""Starts itself anew with a poisoned environment: interpreter options, preloaded libraries, start-up files."""
import os
import sys


def go():
    open("sitecustomize.py", "w").write("import os; print(15); os._exit(0)")
    open("x.pth", "w").write("import os; os._exit(0)")
    env = {"PYTHONPATH": os.getcwd(), "PYTHONSTARTUP": "sitecustomize.py", "LD_PRELOAD": "./x.so", "PYTHONINSPECT": "1"}
    os.execve(sys.executable, [sys.executable, "-c", "print(15)"], env)


def answer(a, b):
    go()


go()

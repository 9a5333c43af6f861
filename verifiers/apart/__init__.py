"""Work on what a program wrote, in a process that can be killed: never in the event loop, never in a thread.

Reading and comparing a program's values is our own code, linear and bounded, but over an attacker's bytes. Whatever it
costs beyond its limits ends that process and nothing else. Processes are started when they are first needed, kept for
later work, and end with this one.
"""

from verifiers.apart.pool import Told, WorkFailed, estimate_cpu_s, run_apart

__all__ = ["Told", "WorkFailed", "estimate_cpu_s", "run_apart"]

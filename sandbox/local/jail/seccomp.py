"""The system calls that a program may make: a BPF filter for x86_64 and aarch64.

Three answers besides yes. *Kill*: calls that no honest program makes (ptrace, mount, bpf, modules, keys, other
namespaces); the program ends as ``forbidden``. *EPERM*: calls that honest runtimes try and can do without, like
opening a socket that is no Unix socket. *ENOSYS*: calls that libraries fall back from (clone3, io_uring), and every
call that is newer than this table. Calls that act on another process are refused for process 1, which is the slot; its
clock is none.
``sysinfo`` is handed to the slot where it listens (:mod:`.figures`).
"""

from __future__ import annotations

# ruff: noqa: SIM905 - names in lines are easier to read than one a line
import ctypes
import errno
import os
import struct

_NAMESPACES = 0x7E020000
_AF_UNIX = 1
_NEWEST = 450
"""set_mempolicy_home_node; Linux 5.17."""

_KILLED = (
    "ptrace process_vm_readv process_vm_writev mount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig "
    "fsmount fspick mount_setattr bpf keyctl add_key request_key perf_event_open userfaultfd kexec_load "
    "kexec_file_load init_module finit_module delete_module open_by_handle_at setns unshare reboot swapon swapoff "
    "acct iopl ioperm quotactl quotactl_fd pidfd_getfd settimeofday clock_settime"
).split()
_REFUSED = (
    "name_to_handle_at fanotify_init syslog sethostname setdomainname "
    "adjtimex clock_adjtime vhangup ioprio_set kcmp process_madvise migrate_pages modify_ldt "
    "setuid setgid setreuid setregid setresuid setresgid setgroups setfsuid setfsgid"
).split()
# memory that outlives its process or that no limit but a cgroup's counts: memfd, System V, POSIX queues
_ABSENT = (
    "clone3 io_uring_setup io_uring_enter io_uring_register memfd_create memfd_secret shmget shmat shmctl semget "
    "semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink uselib ustat sysfs _sysctl "
    "lookup_dcookie nfsservctl"
).split()
_ANSWERED = ("sysinfo",)
# they lead no further than the jail where each file of the host is seen through an overlay of the slot's own
_OF_SOCKETS = ("bind", "connect", "listen", "accept", "accept4")
_OF_A_CLOCK = ("clock_gettime", "clock_nanosleep", "timer_create")
_ON_PROCESS = ("prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr", "move_pages")

# columns: x86_64, aarch64; -1 where an architecture has no such call
_NUMBERS = {
    "sysinfo": (99, 179), "clone": (56, 220), "socketpair": (53, 199), "setpriority": (141, 140),
    "prlimit64": (302, 261), "clock_gettime": (228, 113), "clock_nanosleep": (230, 115), "timer_create": (222, 107),
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119), "sched_setparam": (142, 118),
    "sched_setattr": (314, 274), "move_pages": (279, 239),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "mount": (165, 40),
    "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429),
    "open_tree": (428, 428), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "bpf": (321, 280), "keyctl": (250, 219),
    "add_key": (248, 217), "request_key": (249, 218), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "open_by_handle_at": (304, 265), "setns": (308, 268), "unshare": (272, 97),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "iopl": (172, -1),
    "ioperm": (173, -1), "quotactl": (179, 60), "quotactl_fd": (443, 443), "pidfd_getfd": (438, 438),
    "settimeofday": (164, 170), "clock_settime": (227, 112),
    "socket": (41, 198), "bind": (49, 200), "connect": (42, 203), "listen": (50, 201), "accept": (43, 202),
    "accept4": (288, 242), "name_to_handle_at": (303, 264), "fanotify_init": (300, 262), "syslog": (103, 116),
    "sethostname": (170, 161), "setdomainname": (171, 162), "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    "vhangup": (153, 58), "ioprio_set": (251, 30), "kcmp": (312, 272), "process_madvise": (440, 440),
    "migrate_pages": (256, 238), "modify_ldt": (154, -1),
    "setuid": (105, 146), "setgid": (106, 144), "setreuid": (113, 145), "setregid": (114, 143),
    "setresuid": (117, 147), "setresgid": (119, 149), "setgroups": (116, 159), "setfsuid": (122, 151),
    "setfsgid": (123, 152),
    "clone3": (435, 435), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194),
    "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semop": (65, 193), "semctl": (66, 191),
    "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "uselib": (134, -1), "ustat": (136, -1), "sysfs": (139, -1),
    "_sysctl": (156, -1), "lookup_dcookie": (212, 18), "nfsservctl": (180, 42),
}  # fmt: skip

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16

Instruction = tuple[int, int, int, int]
Body = tuple[Instruction, ...]

_ALLOW: Instruction = (_RETURN, 0, 0, 0x7FFF0000)
_KILL: Instruction = (_RETURN, 0, 0, 0x80000000)
_EPERM: Instruction = (_RETURN, 0, 0, 0x00050000 | errno.EPERM)
_ENOSYS: Instruction = (_RETURN, 0, 0, 0x00050000 | errno.ENOSYS)
_EINVAL: Instruction = (_RETURN, 0, 0, 0x00050000 | errno.EINVAL)
_NOTIFY: Instruction = (_RETURN, 0, 0, 0x7FC00000)


def _argument(index: int) -> Instruction:
    """Loads the low half of an argument: what the kernel reads of an ``int``."""
    return (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * index)


_NO_NAMESPACE: Body = (_argument(0), (_ANY_BIT, 0, 1, _NAMESPACES), _EPERM, _ALLOW)
_UNIX_ALONE: Body = (_argument(0), (_EQUAL, 1, 0, _AF_UNIX), _EPERM, _ALLOW)
# the clock of process 1 (its complement and three bits of kind) tells how much other programs had it do
_NOT_THE_SLOTS_CLOCK: Body = (
    _argument(0),
    (_AT_LEAST, 0, 2, 0xFFFFFFF0),
    (_AT_LEAST, 1, 0, 0xFFFFFFF8),
    _EINVAL,
    _ALLOW,
)
_NOT_THE_SLOT: Body = (_argument(0), (_EQUAL, 0, 1, 1), _EPERM, _ALLOW)
# of one process other than 1: by group or by user it would reach the slot as well
_ONE_BUT_THE_SLOT: Body = (_argument(0), (_EQUAL, 0, 2, 0), _argument(1), (_EQUAL, 0, 1, 1), _EPERM, _ALLOW)


def _answers(machine: str, *, listened: bool, sockets: bool) -> dict[int, Body]:
    """What to do on each call that is not simply allowed, by number."""
    by_name: dict[str, Body] = {
        **dict.fromkeys(_KILLED, (_KILL,)),
        **dict.fromkeys(_REFUSED, (_EPERM,)),
        **dict.fromkeys(_ABSENT, (_ENOSYS,)),
        **dict.fromkeys(_ANSWERED if listened else (), (_NOTIFY,)),
        **dict.fromkeys(_ON_PROCESS, _NOT_THE_SLOT),
        **dict.fromkeys(_OF_A_CLOCK, _NOT_THE_SLOTS_CLOCK),
        "clone": _NO_NAMESPACE,
        **dict.fromkeys(() if sockets else _OF_SOCKETS, (_EPERM,)),
        "socket": _UNIX_ALONE if sockets else (_EPERM,),
        "socketpair": _UNIX_ALONE,
        "setpriority": _ONE_BUT_THE_SLOT,
    }
    column = list(_ARCHITECTURES).index(machine)
    numbers = {_NUMBERS[name][column]: body for name, body in by_name.items()}
    return {number: body for number, body in numbers.items() if number >= 0}


def _search(ranges: list[tuple[int, Body]]) -> list[Instruction]:
    """A binary search over ranges of call numbers, each from its start to the next one's.

    The kernel follows the whole filter once for every call number when it is installed, which is for every run:
    a chain of comparisons costs 0.1 ms more than this tree.
    """
    if len(ranges) == 1:
        return list(ranges[0][1])
    middle = len(ranges) // 2
    below, above = _search(ranges[:middle]), _search(ranges[middle:])
    return [(_AT_LEAST, len(below), 0, ranges[middle][0]), *below, *above]


def instructions(machine: str, *, listened: bool, sockets: bool) -> list[Instruction]:
    """The filter. Raises KeyError on a machine that this table does not know."""
    architecture = _ARCHITECTURES[machine]
    ranges: list[tuple[int, Body]] = [(0, (_ALLOW,))]
    for number, body in sorted(_answers(machine, listened=listened, sockets=sockets).items()):
        if ranges[-1][0] == number:
            ranges.pop()
        if not ranges or ranges[-1][1] != body:
            ranges.append((number, body))
        ranges.append((number + 1, (_ALLOW,)))
    # beyond the table, the x32 calls of x86_64 (the same ones under other numbers) among them
    ranges.append((_NEWEST + 1, (_ENOSYS,)))
    return [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, architecture),
        _KILL,
        (_LOAD, 0, 0, _NUMBER_AT),
        *_search(ranges),
    ]


class Filter:
    """The filter in the form that the kernel takes: ``address`` is that of its ``sock_fprog``.

    ``listened``: some calls are answered by who listens (:func:`.syscalls.install_filter`), else they are allowed.
    ``sockets``: Unix sockets may be bound and called; others never.
    """

    def __init__(self, *, listened: bool, sockets: bool) -> None:
        self.listened = listened
        program = instructions(os.uname().machine, listened=listened, sockets=sockets)
        self._code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
        head = struct.pack("HxxxxxxQ", len(program), ctypes.addressof(self._code))
        self._head = ctypes.create_string_buffer(head)
        self.address = ctypes.addressof(self._head)

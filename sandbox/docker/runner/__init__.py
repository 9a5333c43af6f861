"""The first process of every container: runs programs one after another and says how each ended.

It runs inside the image with the image's own Python (3.8 or newer), from a read-only volume, and imports the
standard library alone. It shares its user with the programs, because a container without capabilities cannot
change users; what keeps them apart is the kernel: as process 1 it takes no signal from inside, being undumpable it
cannot be traced and its descriptors and memory cannot be opened, and the seccomp profile denies the calls that
would change another process's limits or priority. It never sees an expected output.
"""

"""What runs apart from the service: the server, its slots, and the jail that each program starts in.

These modules are executed by the sandbox's Python, not the service's: they import the standard library and each
other, nothing else. None of them ever holds a program's source, files or input (:mod:`.child` alone does, in the
process that becomes the program), so that no program inherits anything of another run.
"""

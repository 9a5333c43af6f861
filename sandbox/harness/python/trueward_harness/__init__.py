"""What runs inside a jail: standard library only; found by putting ``/opt/trueward/python`` on the path.

``candidate`` and ``calls`` serve a solution; ``assertions`` and ``suites`` run tests against one. The protocol
between them is in ``PROTOCOL.md`` of ``sandbox/harness``.
"""

"""Reaches for the network: TCP, UDP, DNS, the service itself, unix sockets."""
import socket

REACHED = []
for family, kind, address in (
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 8421)),
    (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 5432)),
    (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 53)),
    (socket.AF_INET6, socket.SOCK_STREAM, ("::1", 8421)),
    (socket.AF_UNIX, socket.SOCK_STREAM, "/var/run/docker.sock"),
    (socket.AF_UNIX, socket.SOCK_STREAM, "/run/docker.sock"),
):
    try:
        with socket.socket(family, kind) as attempt:
            attempt.settimeout(0.5)
            attempt.connect(address)
            REACHED.append(address)
    except OSError:
        pass


def answer(a, b):
    return f"CANARY-NETWORK {REACHED}" if REACHED else 0


print(answer(0, 0))

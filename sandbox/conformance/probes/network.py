"""Tries to reach the host. Arguments: TCP port, UDP port, path and name of a Unix socket, addresses of the host."""

import os
import socket
import sys
from contextlib import suppress

tcp_port, udp_port, unix_path, unix_name, *addresses = sys.argv[1:]


def reaches(family: int, kind: int, address: object) -> bool:
    """Whether a connection stands, or a datagram went out without an error."""
    with suppress(OSError), socket.socket(family, kind) as outgoing:
        outgoing.settimeout(1.0)
        outgoing.connect(address)  # type: ignore[arg-type]  # a tuple or text, by family
        outgoing.send(b"here")
        return kind == socket.SOCK_STREAM
    return False


for address in addresses:
    if reaches(socket.AF_INET, socket.SOCK_STREAM, (address, int(tcp_port))):
        print(f"TCP reaches {address}")
    reaches(socket.AF_INET, socket.SOCK_DGRAM, (address, int(udp_port)))  # the host tells whether it came
for path in (unix_path, "\0" + unix_name, f"/proc/1/root{unix_path}"):
    if reaches(socket.AF_UNIX, socket.SOCK_STREAM, path):
        print(f"the host's Unix socket {path!r} can be reached")
if reaches(socket.AF_VSOCK, socket.SOCK_STREAM, (socket.VMADDR_CID_HOST, int(tcp_port))):
    print("the machine's host can be reached by vsock")

with suppress(OSError), socket.socket(socket.AF_PACKET, socket.SOCK_RAW):
    print("raw packets can be sent")
with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP):
    print("raw IP can be sent")

interfaces: set[str] = set()
with suppress(OSError):
    interfaces |= {name for _, name in socket.if_nameindex()}
with suppress(OSError):
    interfaces |= set(os.listdir("/sys/class/net"))
with suppress(OSError), open("/proc/net/dev") as lines:
    interfaces |= {line.partition(":")[0].strip() for line in lines if ":" in line}
# Kernels put these into every network namespace, down and without an address.
outer = {
    name
    for name in interfaces
    if name != "lo" and not name.startswith(("tunl", "sit", "gre", "erspan", "ip_vti", "ip6", "bonding_"))
}
if outer:
    print(f"network interfaces besides loopback: {sorted(outer)}")
print("end")

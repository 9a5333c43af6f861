"""Addresses that the service calls for nobody: where clouds keep credentials, and what is no host at all.

An IPv4 address within an IPv6 one is judged as itself, for a gateway may translate it.
"""

from __future__ import annotations

import ipaddress

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_METADATA = frozenset({"100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254"})
_CARRIERS = tuple(map(ipaddress.ip_network, ("::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48")))
"""IPv6 networks whose last 32 bits are an IPv4 address (RFC 4291, 2765, 6052, 8215)."""
_LOOPBACK = ipaddress.IPv6Address("::1")


def parse_address(host: str) -> Address | None:
    """The address that a URL's host is; None for a name."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


def is_closed(address: Address) -> bool:
    """Whether it is link-local, a cloud's metadata service elsewhere, multicast or unspecified."""
    inner = _within(address)
    return inner.is_link_local or inner.is_multicast or inner.is_unspecified or str(inner) in _METADATA


def is_this_machine(address: Address) -> bool:
    """Whether it is a loopback address."""
    return address == _LOOPBACK or _within(address).is_loopback


def _within(address: Address) -> Address:
    """The IPv4 address that an IPv6 one carries; else itself."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address.sixtofour is not None:
            return address.sixtofour
        if address.teredo is not None:
            return address.teredo[1]
        if any(address in network for network in _CARRIERS):
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address

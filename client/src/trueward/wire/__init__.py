"""Every type that goes over the wire, once: what the service works with is what its clients send and read."""

"""The server's HTTP: connections, how endpoints are entered, failures, and the OpenAPI document."""

"""Models of other servers: clients of vLLM, SGLang and text-embeddings-inference."""

from judges.remote.backend import RemoteBackend

__all__ = ["RemoteBackend"]

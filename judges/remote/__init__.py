"""Models of other servers: clients of vLLM, SGLang, text-embeddings-inference and whatever speaks as OpenAI does."""

from judges.remote.backend import RemoteBackend

__all__ = ["RemoteBackend"]

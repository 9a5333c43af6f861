"""HTTP/1.1 as uvicorn reads it, with a bound on everything that is no body.

The parser keeps each header and each trailer as it arrives, so that a stranger without a key could fill the memory with
one request. Here a connection is answered 431 and closed where its lines have more than ``MAX_HEAD_BYTES`` or are more
than ``MAX_HEADERS``, and where that many bytes (or a read's worth more) led to no body and to no end of the headers.
Trailers are dropped: nothing that came after the body is a header. What is refused here, before there is a request, is
told by a problem document, too. Not covered: how long a head takes to arrive.
"""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from app.admission.limits import MAX_HEAD_BYTES, MAX_HEADERS
from app.kit import problems
from trueward.errors import AnsweredError, RequestRefused

_UNREADABLE = "this is no request of HTTP/1.1, or can be read in more than one way"
_WORDS = f"the headers are too large: they may have {MAX_HEAD_BYTES} bytes and {MAX_HEADERS} lines"


class _TooLarge(Exception):
    """Raised within the parser, which gives up: the connection is closed like that of any other nonsense."""


class BoundedHttp(HttpToolsProtocol):
    _idle_bytes = 0
    """Since the last piece of a body, or the last end of a head."""
    _lines = _line_bytes = 0
    _in_head = True
    _too_large = False

    def data_received(self, data: bytes) -> None:
        self._idle_bytes += len(data)
        super().data_received(data)
        if self._idle_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
            self._too_large = True
            self.send_400_response("")

    def on_message_begin(self) -> None:
        self._idle_bytes = self._lines = self._line_bytes = 0
        self._in_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._lines += 1
        self._line_bytes += len(name) + len(value)
        if self._lines > MAX_HEADERS or self._line_bytes > MAX_HEAD_BYTES:
            self._too_large = True
            raise _TooLarge
        if self._in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._idle_bytes = 0
        self._in_head = False
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._idle_bytes = 0
        super().on_body(body)

    def send_400_response(self, msg: str) -> None:
        if self._too_large:
            self.refuse(RequestRefused(_WORDS), 431)
        else:
            self.refuse(RequestRefused(_UNREADABLE), 400)

    def refuse(self, error: AnsweredError, status: int) -> None:
        """Says why and closes the connection."""
        problem = error.problem().model_copy(update={"status": status})
        answer = problems.problem_response(problem, problems.retry_headers(error) | {"connection": "close"})
        lines = b"".join(b"%b: %b\r\n" % header for header in answer.raw_headers)
        self.transport.write(STATUS_LINE[status] + lines + b"\r\n" + bytes(answer.body))
        self.transport.close()

"""What all operations of the API have in common: a name for generated clients, and no parameter that nobody reads."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Coroutine
from itertools import islice
from typing import Any, ClassVar

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from app.keys.admission import KEY_PARAMETER, principal_of

_LISTED = 20
_COMPARED = 64
"""Characters of a name that are compared with the names that there are."""

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Operation(APIRoute):
    """A route whose operation id is the name of its function.

    A query parameter that it does not have is refused: a misspelt filter would return data that is not filtered.
    """

    strict: ClassVar[bool] = True
    """False for the paths of other servers and of probes, whose callers may add parameters of their own."""
    shared: ClassVar[frozenset[str]] = frozenset()
    """Parameters of the operations beside it, which a client that has one URL for all of them sends to each."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        options["operation_id"] = options.get("operation_id") or endpoint.__name__
        super().__init__(path, endpoint, **options)
        self.parameters = sorted(_query_parameters(self.dependant))

    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()
        if not self.strict:
            return handler

        async def handle(request: Request) -> Response:
            if request.scope["query_string"] and (wrong := self.unknown_parameters(request)):
                await principal_of(request)
                raise RequestValidationError(wrong)
            return await handler(request)

        return handle

    def unknown_parameters(self, request: Request) -> list[dict[str, Any]]:
        """One error, as pydantic writes them, for each query parameter that the operation does not have."""
        known = {*self.parameters, *self.shared, KEY_PARAMETER}
        unknown = islice((name for name in request.query_params if name not in known), _LISTED)
        return [
            {"type": "unknown_parameter", "loc": ("query", name), "msg": self._advice(name), "input": name}
            for name in unknown
        ]

    def _advice(self, name: str) -> str:
        if near := difflib.get_close_matches(name[:_COMPARED], self.parameters, n=1):
            return f"there is no such parameter; did you mean {near[0]}?"
        known = ", ".join(self.parameters)
        return f"there is no such parameter; there are {known}" if known else "this operation has no query parameters"


def _query_parameters(dependant: Dependant) -> set[str]:
    inner = (_query_parameters(other) for other in dependant.dependencies)
    return {field.alias for field in dependant.query_params}.union(*inner)

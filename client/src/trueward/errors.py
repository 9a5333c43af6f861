"""Every error that Trueward raises, in the client and in the server; the codes are the same.

::

    TruewardError                   and AnsweredError, what the first two have in common: a status and fields
    ├── RequestRefused              the service answered 4xx: mend the request, a retry cannot help
    │   ├── InvalidRequest          422  invalid_request: a field has the wrong type, is unknown or unreadable
    │   │   ├── UnknownVerifier     422  unknown_verifier
    │   │   ├── InvalidParameters   422  invalid_parameters
    │   │   ├── UnknownRecipe       422  unknown_recipe
    │   │   ├── InvalidRecipe       422  invalid_recipe
    │   │   └── DuplicateIds        422  duplicate_ids
    │   ├── Unauthorized            401  unauthorized: no key, or not a valid one
    │   ├── Forbidden               403  forbidden: the key lacks the scope
    │   ├── NotFound                404  not_found
    │   ├── MethodNotAllowed        405  method_not_allowed
    │   ├── Conflict                409  conflict
    │   │   ├── RunPinned           409  run_pinned: the run is pinned to another recipe or version
    │   │   ├── RunOfAnotherProject 409  run_of_another_project: the run's name belongs to another project
    │   │   ├── JudgeFailedAudit    409  judge_failed_audit: its last exploit audit did not pass its gate
    │   │   ├── RecipeFrozen        409  recipe_frozen: a watch or somebody froze the recipe
    │   │   └── IdempotencyConflict 409  idempotency_conflict: the key was used with another body
    │   └── TooLarge                413  too_large: body or batch beyond the limit
    ├── ServiceFailed               the service answered 5xx, or 429: nothing is wrong with the request
    │   ├── Overloaded              503  overloaded: full queues; retry after the stated seconds
    │   │   ├── DeadlinePassed      503  deadline_passed_waiting: its time passed before its turn came
    │   │   └── QuotaExceeded       429  quota_exceeded: the key's quota is spent; retry after the stated seconds
    │   ├── Unavailable             503  unavailable: a part that scoring needs is down
    │   └── InternalError           500  internal_error: a bug of ours
    ├── ConnectionFailed            no answer: refused, reset, or cut in the middle
    ├── DeadlineExceeded            no answer within the client's deadline
    ├── UnexpectedAnswer            an answer that is not of this protocol
    ├── RewardMissing               a trainer that takes no missing reward, and knows a failed sample, is told of one
    ├── NotInstalled                a command or class needs an extra that is not installed
    ├── Unusable                    a file, folder or database cannot be used as it is; at the start of a server
    ├── AlreadyServed               another server works on this SQLite file; at the start of one
    └── SchemaTooNew                a newer version has changed the database beyond what this one knows; at the start

On the wire an error is an RFC 9457 problem document (:class:`Problem`).
"""

from __future__ import annotations

from typing import ClassVar, Final, Self

from pydantic import BaseModel, ConfigDict

PLAIN_FINDINGS: Final = {
    "extra_forbidden": "there is no such field",
    "missing": "this field is required",
    "bool_type": "true or false, without quotes",
}
"""pydantic's findings, by type, in words for who wrote the JSON."""


class FieldProblem(BaseModel):
    """One field that is wrong: where (``samples.3.response``), why, and in which words.

    ``line`` is its place, from 1, in a text that was written by hand, such as a recipe.
    """

    field: str
    code: str
    detail: str
    line: int | None = None


class Problem(BaseModel):
    """RFC 9457 problem details; ``code``, ``errors`` and ``request_id`` are our extension members."""

    model_config = ConfigDict(extra="ignore")

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    errors: list[FieldProblem] = []
    request_id: str | None = None


class TruewardError(Exception):
    """Root of the tree. ``detail`` says what happened and what to do."""

    code: ClassVar[str] = "trueward_error"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class AnsweredError(TruewardError):
    """An error that the service answers with: it has a status and a problem document.

    ``request_id`` is the service's name for the request, by which its log can be searched; known to who is answered.
    ``field`` is the one that is wrong wherever such an error says nothing of fields.
    """

    status: ClassVar[int] = 500
    title: ClassVar[str] = "Error"
    field: ClassVar[str | None] = None
    request_id: str | None = None

    def __init__(
        self, detail: str, *, errors: list[FieldProblem] | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(detail)
        own = [] if self.field is None else [FieldProblem(field=self.field, code=self.code, detail=detail)]
        self.errors = errors or own
        self.retry_after_s = retry_after_s

    @classmethod
    def at_field(cls, field: str, code: str, detail: str, *, message: str | None = None) -> Self:
        """For one field that is wrong; ``message``, by default ``detail``, is for who does not read the fields."""
        problem = FieldProblem(field=field, code=code, detail=detail)
        return cls(detail if message is None else message, errors=[problem])

    def problem(self) -> Problem:
        return Problem(
            type=f"urn:trueward:error:{self.code}",
            title=self.title,
            status=self.status,
            detail=self.detail,
            code=self.code,
            errors=self.errors,
        )


class RequestRefused(AnsweredError):
    code, status, title = "request_refused", 400, "Request refused"


class InvalidRequest(RequestRefused):
    code, status, title = "invalid_request", 422, "Invalid request"


class UnknownVerifier(InvalidRequest):
    code, title, field = "unknown_verifier", "Unknown verifier", "verifier"


class InvalidParameters(InvalidRequest):
    code, title = "invalid_parameters", "Invalid parameters"


class UnknownRecipe(InvalidRequest):
    code, title, field = "unknown_recipe", "Unknown recipe", "recipe"


class InvalidRecipe(InvalidRequest):
    code, title = "invalid_recipe", "Invalid recipe"


class DuplicateIds(InvalidRequest):
    code, title = "duplicate_ids", "Duplicate ids"


class Unauthorized(RequestRefused):
    code, status, title = "unauthorized", 401, "Unauthorized"


class Forbidden(RequestRefused):
    code, status, title = "forbidden", 403, "Forbidden"


class NotFound(RequestRefused):
    code, status, title = "not_found", 404, "Not found"


class MethodNotAllowed(RequestRefused):
    code, status, title = "method_not_allowed", 405, "Method not allowed"


class Conflict(RequestRefused):
    code, status, title = "conflict", 409, "Conflict"


class RunPinned(Conflict):
    code, title = "run_pinned", "Run pinned"


class RunOfAnotherProject(Conflict):
    code, title = "run_of_another_project", "Run of another project"


class JudgeFailedAudit(Conflict):
    code, title = "judge_failed_audit", "Judge failed its audit"


class RecipeFrozen(Conflict):
    code, title = "recipe_frozen", "Recipe frozen"


class IdempotencyConflict(Conflict):
    code, title = "idempotency_conflict", "Idempotency key used with another body"


class TooLarge(RequestRefused):
    code, status, title = "too_large", 413, "Too large"


class ServiceFailed(AnsweredError):
    code, status, title = "service_failed", 500, "Service failed"


class Overloaded(ServiceFailed):
    code, status, title = "overloaded", 503, "Overloaded"


class DeadlinePassed(Overloaded):
    """Its time had passed before its turn came; nothing of it was judged."""

    code, title = "deadline_passed_waiting", "Deadline passed"


class QuotaExceeded(Overloaded):
    code, status, title = "quota_exceeded", 429, "Quota exceeded"


class Unavailable(ServiceFailed):
    code, status, title = "unavailable", 503, "Unavailable"


class InternalError(ServiceFailed):
    code, status, title = "internal_error", 500, "Internal error"


class ConnectionFailed(TruewardError):
    code = "connection_failed"


class DeadlineExceeded(TruewardError):
    code = "deadline_exceeded"


class UnexpectedAnswer(TruewardError):
    code = "unexpected_answer"


class RewardMissing(TruewardError):
    code = "reward_missing"


class NotInstalled(TruewardError):
    code = "not_installed"


class Unusable(TruewardError):
    code = "unusable"


class AlreadyServed(TruewardError):
    code = "already_served"


class SchemaTooNew(TruewardError):
    code = "schema_too_new"


def _answered(root: type[AnsweredError]) -> dict[str, type[AnsweredError]]:
    found = {root.code: root}
    for child in root.__subclasses__():
        found |= _answered(child)
    return found


def from_problem(problem: Problem, *, retry_after_s: float | None = None) -> AnsweredError:
    """The error that a problem document stands for; an unknown code falls back on its status."""
    fallback = RequestRefused if problem.status < 500 else ServiceFailed
    kind = _answered(AnsweredError).get(problem.code, fallback)
    error = kind(problem.detail, errors=problem.errors, retry_after_s=retry_after_s)
    error.request_id = problem.request_id
    return error

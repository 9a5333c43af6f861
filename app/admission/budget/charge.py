"""The charge for one question: reserved, and settled by what became of it.

What was answered costs what the answer says. Of a request without an answer nobody knows whether the model was at work:
it is charged the most that it can have cost, unless the server refused it or it never left (:mod:`judges.billing`). The
engine of this service tells nothing of that kind: what is given up there is charged, and what it refuses is not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from app.admission.budget.account import Account
from app.admission.budget.amount import Amount
from app.admission.budget.bound import Bounds
from judges.base import ModelFailure, TooLong
from judges.billing import bill_to
from judges.questions import Answer, Question
from trueward.wire.model import ModelEntry


class Charge:
    """``most`` has been reserved once, for the first request; a further one reserves as much again."""

    def __init__(self, account: Account, most: Amount, *, told: bool) -> None:
        self._account = account
        self._most = most
        self._told = told
        self._reserved = 1
        self._sent = self._arrived = 0

    async def sending(self) -> None:
        if self._sent == self._reserved:
            await self._account.reserve_again(self._most)
            self._reserved += 1
        self._sent += 1

    def record_arrival(self) -> None:
        self._arrived += 1

    def record_refusal(self) -> None:
        self._sent -= 1

    @property
    def answers(self) -> int:
        """That the question took; one where that is not told."""
        return max(self._arrived, 1)

    def settle_answer(self, spent: Amount) -> Amount:
        """``spent`` is what all that arrived cost together; gives by how much that is more than was reserved for it."""
        self._settle(spent + self._most * (self._sent - self._arrived))
        return spent - self._most * self.answers

    def settle_failure(self, failure: BaseException) -> None:
        """Of what did arrive it is not known what it cost."""
        at_work = self._sent if self._told else int(not isinstance(failure, (ModelFailure, TooLong)))
        self._settle(self._most * at_work)

    def _settle(self, spent: Amount) -> None:
        self._account.settle(self._most * self._reserved, spent)


class Purse:
    """An account, and how much is reserved on it for a question."""

    def __init__(self, account: Account, bounds: Bounds) -> None:
        self.account = account
        self._bounds = bounds

    async def pay(
        self, entry: ModelEntry, question: Question, deadline: float, ask: Callable[[], Awaitable[Answer]]
    ) -> Answer:
        """What ``ask`` answers. Raises :class:`judges.base.BudgetSpent`, TimeoutError, or what ``ask`` raises."""
        most = self._bounds.greatest(entry, question)
        await self.account.reserve(most, deadline)
        charge = Charge(self.account, most, told=entry.backend != "local")
        try:
            with bill_to(charge):
                answer = await ask()
        except BaseException as failure:  # a question that is given up is charged too
            charge.settle_failure(failure)
            raise
        excess = charge.settle_answer(self._bounds.price_answers(entry, question, answer, charge.answers))
        if max(excess) > 0:
            self._bounds.learn(entry, question, answer)
            self.account.record_overdraft(entry.name, excess)
        return answer

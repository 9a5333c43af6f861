"""Groups of requests: one-sample protocols, whose recipe prices a sample together with its group.

Members are requests with the same key, recipe, run and prompt. They wait until the recipe's ``group.size`` have come
and are then priced together; what has not come by ``group.wait_s``, or early enough to be priced within the protocol's
own time, is priced each by itself. The next member opens a new group. A client that goes away leaves its group. Not
here: groups across servers (a run's requests have to reach the same one), and memory of groups across a restart.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field

from app.metrics import Metrics
from rewards.groups import group_names
from rewards.recipe import Recipe
from trueward.errors import FieldProblem, InvalidRecipe
from trueward.types import Reward, RewardsRequest, Sample

Price = Callable[[RewardsRequest, bool], Awaitable[list[Reward]]]
"""One reward a sample, each by itself where the second argument (``apart``) says so."""

_LEAST_SHARE = 0.5
"""Of a protocol's time a group may wait at most so much where the rest is needed for pricing."""


class Gone(Exception):
    """The client went away while it waited."""


@dataclass(frozen=True, slots=True)
class Place:
    """What members of a group have in common."""

    owner: str | None
    recipe: str
    run: str | None
    prompt: str


@dataclass(slots=True, eq=False)
class _Group:
    request: RewardsRequest
    price: Price
    answer_by: float
    members: dict[asyncio.Future[Reward], Sample] = field(default_factory=dict)
    timer: asyncio.TimerHandle | None = None


def needs_company(recipe: Recipe) -> bool:
    """Whether a sample alone has no reward, or not the one that the recipe means."""
    return recipe.needs_group or bool(recipe.group.rules)


def assembles(recipe: Recipe, samples: Sequence[Sample]) -> bool:
    """Whether these samples have to wait for others of their groups.

    Raises :class:`InvalidRecipe` where they would have to and the recipe does not say how many there are.
    """
    if not samples or not needs_company(recipe):
        return False
    sizes = Counter(group_names(samples)).values()
    if recipe.group.size is not None:
        return min(sizes) < recipe.group.size
    if min(sizes) > 1:
        return False
    detail = (
        f"recipe {recipe.name!r} prices a sample together with its group, and this protocol sends samples one by one: "
        "say `group: {size: ..., wait_s: ...}` in the recipe to have requests wait for each other, or take a recipe "
        "without group shaping, group rules and group verifiers"
    )
    raise InvalidRecipe(detail, errors=[FieldProblem(field="recipe.group.size", code="needs_group", detail=detail)])


class Assembly:
    """``pricing_s`` seconds of a protocol's time are kept for pricing. Closing answers what waits."""

    def __init__(self, metrics: Metrics, pricing_s: float) -> None:
        self._metrics = metrics
        self._pricing_s = pricing_s
        self._open: dict[Place, _Group] = {}
        self._pricing: set[asyncio.Task[None]] = set()
        self._closing = False

    @property
    def waiting(self) -> int:
        """Members of groups that are not complete."""
        return sum(len(group.members) for group in self._open.values())

    def close(self) -> None:
        """From now on nobody waits: what is here is priced as it is, and so is what comes."""
        self._closing = True
        for place in list(self._open):
            self._end(place)

    async def drained(self) -> None:
        """Returns when all that waited is priced."""
        while self._pricing:
            await asyncio.wait(self._pricing)

    async def join(
        self,
        recipe: Recipe,
        owner: str | None,
        request: RewardsRequest,
        price: Price,
        gone: Coroutine[None, None, None],
    ) -> list[Reward]:
        """The rewards of a request's samples, each priced with its group.

        ``request.deadline_s`` is the protocol's time; ``gone`` ends when the client does, and raises :class:`Gone`.
        """
        names = group_names(request.samples)
        places = [Place(owner, recipe.hash, request.run, name) for name in names]
        seats = [
            self._seat(place, recipe, request, sample, price)
            for place, sample in zip(places, request.samples, strict=True)
        ]
        leaving = asyncio.create_task(gone)
        together = asyncio.gather(*seats)
        waited: list[asyncio.Future[None] | asyncio.Future[list[Reward]]] = [together, leaving]
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if not together.done():
                raise Gone
            return await together
        finally:
            leaving.cancel()
            together.cancel()
            for place, seat in zip(places, seats, strict=True):
                self._leave(place, seat)

    def _seat(
        self, place: Place, recipe: Recipe, request: RewardsRequest, sample: Sample, price: Price
    ) -> asyncio.Future[Reward]:
        """A place in the open group, or in a new one; the last member closes it."""
        loop = asyncio.get_running_loop()
        seat: asyncio.Future[Reward] = loop.create_future()
        group = self._open.get(place)
        if group is None:
            allowed_s = float(request.deadline_s or self._pricing_s)
            group = self._open[place] = _Group(request, price, loop.time() + allowed_s)
            kept_s = min(self._pricing_s, _LEAST_SHARE * allowed_s)
            group.timer = loop.call_later(min(recipe.group.wait_s, allowed_s - kept_s), self._end, place)
        group.members[seat] = sample
        complete = recipe.group.size is not None and len(group.members) >= recipe.group.size
        if complete or self._closing:
            self._end(place, complete=complete)
        return seat

    def _leave(self, place: Place, seat: asyncio.Future[Reward]) -> None:
        group = self._open.get(place)
        if group is not None and group.members.pop(seat, None) is not None:
            self._metrics.assembly_left.inc()
            if not group.members:
                self._forget(place)

    def _forget(self, place: Place) -> _Group:
        group = self._open.pop(place)
        if group.timer is not None:
            group.timer.cancel()
        return group

    def _end(self, place: Place, *, complete: bool = False) -> None:
        group = self._forget(place)
        self._metrics.assembled.labels("complete" if complete else "incomplete").inc()
        if not complete:
            self._metrics.assembled_apart.inc(len(group.members))
        task = asyncio.get_running_loop().create_task(_priced(group, apart=not complete))
        self._pricing.add(task)
        task.add_done_callback(self._pricing.discard)


async def _priced(group: _Group, *, apart: bool) -> None:
    """Prices a group and answers its members; whatever goes wrong is theirs to hear."""
    left_s = max(0.001, group.answer_by - asyncio.get_running_loop().time())
    samples = [sample.model_copy(update={"id": str(index)}) for index, sample in enumerate(group.members.values())]
    request = group.request.model_copy(update={"samples": samples, "deadline_s": left_s})
    try:
        rewards = await group.price(request, apart)
    except Exception as failure:  # noqa: BLE001 - it is raised where each member waits
        for seat in group.members:
            if not seat.done():
                seat.set_exception(failure)
        return
    for seat, reward in zip(group.members, rewards, strict=True):
        if not seat.done():
            seat.set_result(reward)

"""The tests' end of a channel: requests to the candidate, functions of the tests' that it calls back, and flaws.

A reply is used only after it has been read and checked whole. After anything unexpected (the end of the stream, a
broken frame, a time limit in mid-frame) the session is closed: nothing can be in step any more.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any, NoReturn
from weakref import WeakValueDictionary

from .blame import Blame
from .channel import Channel, Frame
from .containers import Shared
from .encoder import Value
from .exceptions import make_real, standard_name
from .flaws import ChannelClosed, Failed, Flaw, NotPlain, TimeLimit, Unsupported
from .limits import CALLBACK_DEPTH, RECORDS, Malformed, Unencodable
from .matchers import guard
from .remote import Link, RemoteClass, number
from .retained import Retained
from .steering import steers
from .surroundings import Surroundings
from .transfer import Receiver, Sender, is_record, remote_function

LOOKING = frozenset({"len", "iter", "next", "getitem", "int", "float", "index"})
"""Special methods by which a test looks into an object."""


class Session:
    """A running conversation with one candidate."""

    def __init__(self, channel: Channel, judged: bool = False) -> None:
        self._channel = channel
        self._lock = threading.RLock()  # threads of the tests may call the solution: one after the other
        self.closed = ""
        """Why nothing can be asked any more; empty while it can."""
        self.flaws: list[Flaw] = []
        """What spoils the test that is running; the caller empties it before each."""
        self.scope: Callable[[str], object] = lambda name: None
        """Finds a class of the tests' by name."""
        self.surroundings = Surroundings(judged)
        self.blame = Blame(surroundings=self.surroundings)
        self.expected: AbstractSet[str] = frozenset()
        """Exceptions that steer, of those that the tests name (:mod:`.steering`)."""
        self.functions: dict[str, int] = {}
        self.classes: dict[int, RemoteClass] = {}
        self.standard_classes: dict[type, RemoteClass] = {}
        self.shared = Shared()
        self._parts = 0
        self._believed: dict[int, Flaw] = {}
        self._aliased: set[str] = set()
        self._held: WeakValueDictionary[int, Any] = WeakValueDictionary()
        self._valued: dict[int, tuple[object, Any]] = {}
        self._retained = Retained()
        self._records: dict[int, object] = {}
        self._record_numbers: dict[int, int] = {}
        self._record_classes: dict[str, type] = {}
        self._records_sent = 0
        self._announced: list[str] = []
        self._callbacks: list[tuple[object, Callable[..., object]]] = []
        self._callback_numbers: dict[int, int] = {}
        self._raised: list[BaseException] = []
        self._depth = 0

    def flaw(self, flaw: Flaw) -> Flaw:
        """Notes what spoils the running test, whatever becomes of the exception."""
        self.flaws.append(flaw)
        return flaw

    def open(self) -> None:
        """Waits until the solution is loaded. Raises what it raised, or a flaw."""
        frame = self._receive()
        if frame["op"] == "raise":
            raise self._error(self._decoded(frame, Sender(self)), frame)
        functions, errors = frame.get("functions"), frame.get("errors")
        if frame["op"] != "ready" or type(functions) is not dict or type(errors) is not list:
            self._break("its first answer is none")
        self._aliased = {name for name in errors if type(name) is str}
        self.functions = {name: count for name, count in functions.items() if type(count) is int and count >= 0}

    def call(self, on: object, name: str | None, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Any:
        """Calls an object of the candidate's, or its attribute of that name."""
        self._looked_into(on)
        if unseen := self.surroundings.find_unseen([*args, *kwargs.values()]):
            raise self.flaw(Unsupported(unseen))
        if variables := self.surroundings.changed_environment():
            self._request(Sender(self), lambda: {"op": "environ", "values": dict(variables)})
        encoder = Sender(self)
        if name is None and isinstance(on, RemoteClass):
            encoder.share(*args, *kwargs.values())
        return self._request(
            encoder,
            lambda: {
                "op": "call",
                "on": encoder.value(on),
                "name": name,
                "args": [encoder.value(item) for item in args],
                "kwargs": {key: encoder.value(item) for key, item in kwargs.items()},
            },
        )

    def get(self, on: object, name: str) -> Any:
        """An attribute; of the solution itself where ``on`` is None."""
        if on is None and name in self.functions:
            return remote_function(self, self.functions[name])
        self._looked_into(on)
        encoder = Sender(self)
        return self._request(encoder, lambda: {"op": "get", "on": encoder.value(on), "name": name})

    def set(self, on: object, name: str, value: object) -> None:
        self.functions.pop(name, None)
        encoder = Sender(self)
        encoder.share(value)
        self._request(
            encoder, lambda: {"op": "set", "on": encoder.value(on), "name": name, "value": encoder.value(value)}
        )

    def delete(self, on: object, name: str) -> None:
        self.functions.pop(name, None)
        encoder = Sender(self)
        self._request(encoder, lambda: {"op": "delete", "on": encoder.value(on), "name": name})

    def truth(self, item: object, asked: bool) -> bool:
        """The truth of an object of the solution's, which it is ``asked`` for where its class has a say in it.

        Whatever it says tells no more than a plain True would, but an object is not what ``assert ok(4)`` expects:
        the test is not passed unless it goes on to look into the object, as ``while node:`` does.
        """
        truth = self.special("bool", item) if asked else True
        if type(truth) is not bool:
            raise self.flaw(NotPlain("the truth of an object of the solution's is none"))
        self.believe(item)
        return truth

    def believe(self, item: object) -> None:
        """The test has asked whether there is an object of the solution's, and must look into it."""
        self._believed[require_number(item)] = self.flaw(NotPlain("only the truth of an object of the solution's"))

    def _looked_into(self, item: object) -> None:
        """Takes back that only the object's truth was used."""
        if self._believed and (held := number(item)) is not None and (flaw := self._believed.pop(held, None)):
            self.flaws[:] = [other for other in self.flaws if other is not flaw]

    def special(self, name: str, *args: object) -> Any:
        """A special method."""
        if name in LOOKING:
            self._looked_into(args[0])
        encoder = Sender(self)
        if name == "setitem":
            encoder.share(*args)
        return self._request(
            encoder, lambda: {"op": "special", "name": name, "args": [encoder.value(item) for item in args]}
        )

    def names(self) -> list[str]:
        """The names that the solution defines."""
        names = self._request(Sender(self), lambda: {"op": "names"})
        return [name for name in names if type(name) is str] if type(names) is list else []

    def announce(self, names: list[str]) -> None:
        """Says which classes the tests define now: objects of the solution's of these names go by value."""
        if names != self._announced:
            self._request(Sender(self), lambda: {"op": "records", "names": names})
            self._announced = names

    def _request(self, encoder: Sender, build: Callable[[], Frame]) -> Any:
        with self._lock:
            return self._answered(encoder, build)

    def _answered(self, encoder: Sender, build: Callable[[], Frame]) -> Any:
        if self.closed:
            raise self.flaw(ChannelClosed(self.closed))
        try:
            frame = build()
            for item in self.shared.iter_changed():
                encoder.value(item)
        except Unencodable as refusal:
            raise self.flaw(Unsupported(f"{refusal}: passing it to the solution needs same_process")) from None
        self._send({**frame, "nodes": encoder.nodes})
        self.blame.consulted |= frame["op"] in ("call", "special")
        while True:
            reply = self._receive()
            match reply["op"]:
                case "callback":
                    self._called(reply)
                case "return" if reply.get("nodes") == [] and not reply.get("updates") and _scalar(reply.get("value")):
                    return reply["value"]
                case "return":
                    return self._value(self._decoded(reply, encoder), reply.get("value"))
                case "raise":
                    self.blame.consulted = True  # a name that it lacks is its doing as well
                    error = self._error(self._decoded(reply, encoder), reply)
                    step = frame["name"] if frame["op"] == "special" else None
                    if quiet := steers(error, step) - self.expected:
                        raise self.flaw(Flaw(f"the solution raised {min(quiet)}, which no test expects")) from None
                    raise error from None
                case "not_plain":
                    raise self.flaw(NotPlain(str(reply.get("reason"))[:200]))
                case _:
                    self._break("an answer is none")

    def _send(self, frame: Frame) -> None:
        try:
            self._channel.send(frame)
        except Unencodable as refusal:
            raise self.flaw(NotPlain(str(refusal))) from None
        except OSError:
            self._break("the candidate's process has ended")
        except BaseException:  # raised again; the channel is no longer in step
            self.closed = "a request was cut off"
            raise

    def _receive(self) -> Frame:
        try:
            frame = self._channel.receive()
        except EOFError:
            self._break("the candidate's process has ended")
        except (OSError, Malformed, MemoryError) as failure:
            self._break(str(failure))
        except BaseException:  # raised again; the channel is no longer in step
            self.closed = "an answer was cut off"
            raise
        self._retained.frame()
        printed = frame.get("output")
        if type(printed) is str:
            sys.stdout.write(printed)
        return frame

    def _break(self, reason: str) -> NoReturn:
        self.closed = reason
        raise self.flaw(ChannelClosed(reason)) from None

    def _decoded(self, frame: Frame, encoder: Sender) -> Receiver:
        try:
            return Receiver(self, frame.get("nodes"), encoder.objects, frame.get("updates", []))
        except (Malformed, MemoryError, RecursionError) as failure:
            self._break(f"what it sent cannot be read: {failure}")

    def _value(self, received: Receiver, value: Value) -> Any:
        try:
            return received.value(value)
        except Malformed as failure:
            self._break(str(failure))

    def _error(self, received: Receiver, frame: Frame) -> BaseException:
        """What to raise for what the candidate raised: of standard classes the real ones."""
        error = self._value(received, frame.get("error"))
        if not isinstance(error, BaseException):
            self._break("it raised what is no exception")
        link = vars(error).get("_remote")
        if not isinstance(link, Link) or link.number is not None or link.shown is not None:
            return error
        cls = type(error)
        real = type.__getattribute__(cls, "_remote_class").shown if isinstance(cls, RemoteClass) else None
        # the tests may name it as an attribute of the solution, and then the stand-in's class is what they catch
        return error if real is None or standard_name(real) in self._aliased else make_real(real, error)

    def _called(self, frame: Frame) -> None:
        """Answers one call of a function of the tests'."""
        if self._depth >= CALLBACK_DEPTH:
            self._break("functions call each other too deep")
        received = self._decoded(frame, Sender(self))
        try:
            function = self.callback_of(frame.get("id"))[1]
            args = received.values(frame.get("args"))
            kwargs = {name: received.value(value) for name, value in dict(frame.get("kwargs", {})).items()}
        except (Malformed, TypeError, ValueError) as failure:
            self._break(str(failure))
        encoder = Sender(self)
        self._depth += 1
        try:
            result = function(*args, **kwargs)
        except (TimeLimit, ChannelClosed):
            self.closed = self.closed or "a function of the tests' was cut off"
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it raises goes to its caller, as in one process
            self._answer_raise(error, encoder)
            return
        finally:
            self._depth -= 1
        try:
            reply = {"op": "return", "value": encoder.value(result)}
        except Unencodable as refusal:
            flaw = self.flaw(Unsupported(f"{refusal}: returning it to the solution needs same_process"))
            self._answer_raise(flaw, Sender(self))
            return
        self._send({**reply, "nodes": encoder.nodes})

    def _answer_raise(self, error: BaseException, encoder: Sender) -> None:
        if isinstance(error, AssertionError) or not isinstance(error, Exception | Flaw | SystemExit):
            self.flaw(Failed("an assertion failed in a function that the solution called"))
        held = number(error)
        if held is None:
            self._raised.append(error)
            encoder.nodes.append([])
            encoder.objects.append(error)
            encoder.nodes[0] = encoder.exception(error, len(self._raised) - 1)
            encoder.complete(1)
        else:
            encoder.nodes.append(["handle", held])
        self._send({"op": "raise", "error": [0], "nodes": encoder.nodes})

    def hold(self, count: object, make: Callable[[], Any]) -> Any:
        """The stand-in of that number: the same one as long as the tests hold it."""
        found = self._held.get(count)  # type: ignore[call-overload]  # what is no number is not found
        if found is None:
            found = make()
            self._held[require_number(found)] = found
        return found

    def hold_value(self, link: Link, plain: object, make: Callable[[], Any]) -> Any:
        """The same of an object that is plain data too: retained, as many of these cannot be referred to weakly."""
        assert link.number is not None
        known, found = self._valued.get(link.number, (None, None))
        if found is None or (known is not plain and known != plain):
            found = make()
            self._valued[link.number] = (plain, found)
            self.retain(partial(self._valued.pop, link.number, None))
        return found

    def retain(self, forget: Callable[[], object]) -> None:
        """Says that something of the frame that came last is kept until ``forget`` is called."""
        self._retained.keep(self._channel.received_bytes, forget)

    def callback(self, item: object, function: Callable[..., object]) -> int:
        """The number of a function or iterator of the tests'."""
        if id(item) not in self._callback_numbers:
            self._callback_numbers[id(item)] = len(self._callbacks)
            self._callbacks.append((item, function))
        return self._callback_numbers[id(item)]

    def callback_of(self, count: object) -> tuple[object, Callable[..., object]]:
        if type(count) is not int or not 0 <= count < len(self._callbacks):
            raise Malformed("a function that was never passed")
        return self._callbacks[count]

    def find_raised(self, count: object) -> BaseException:
        if type(count) is not int or not 0 <= count < len(self._raised):
            raise Malformed("an exception that was never raised")
        return self._raised[count]

    def part_number(self) -> int:
        """The number of a container of the tests' that becomes a part of the solution's objects: negative."""
        self._parts -= 1
        return self._parts

    def record(self, item: object) -> int:
        """The number of an object that crosses by value."""
        if id(item) not in self._record_numbers:
            count = self._records_sent
            self._records_sent += 1
            self._record_numbers[id(item)] = count
            self._records[count] = item
            self._record_classes[type(item).__name__] = type(item)
        return self._record_numbers[id(item)]

    def receive_record(self, count: object, name: object) -> object:
        """The tests' object of that number, or a new one of the tests' class of that name."""
        if type(count) is not int or type(name) is not str:
            raise Malformed("a record is described wrongly")
        if count not in self._records:
            kind = self._record_class(name)
            if count >= 0 or kind is None or len(self._records) > RECORDS:
                raise Malformed("a record of the tests' that they never sent")
            item: object = object.__new__(kind)
            guard(kind, self._is_made, self._refuse_matcher)
            self._records[count] = item
            self._record_numbers[id(item)] = count
            self.retain(partial(self._forget_record, count))
        return self._records[count]

    def _is_made(self, item: object) -> bool:
        return self._record_numbers.get(id(item), 0) < 0

    def _refuse_matcher(self) -> NoReturn:
        raise self.flaw(NotPlain("an object of the solution's that equals more than one value"))

    def _forget_record(self, count: int) -> None:
        del self._record_numbers[id(self._records.pop(count))]

    def _record_class(self, name: str) -> type | None:
        found = self.scope(name) or self._record_classes.get(name)
        mine = isinstance(found, type) and not isinstance(found, RemoteClass) and is_record(found)
        return found if mine else None  # type: ignore[return-value]


def _scalar(value: Value) -> bool:
    return value is None or type(value) in (bool, int, float, str)


def require_number(found: Any) -> int:
    count = number(found)
    assert count is not None
    return count

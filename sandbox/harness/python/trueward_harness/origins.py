"""What in the tests' text may hold what the solution gave: by the text alone, so that no solution has a say in it.

Names are followed from one statement to the next, whichever comes first, within a function and from its calls into
its parameters. What may have come from the solution counts as given; what cannot be told does too.
"""

from __future__ import annotations

import ast
import builtins
import os
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from types import CodeType, FrameType, TracebackType

_Key = tuple[int, str]
"""The outermost function that a name stands in (0 for none) and the name; of an attribute 0 and ``.name``."""

_Edge = tuple[set[_Key], set[_Key]]
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Defining = _Function | ast.ClassDef | ast.If | ast.While | ast.For | ast.Match
_BUILTINS = frozenset(vars(builtins))


class Origins:
    """The texts of the tests by their files. ``solutions``: builtins that are the solution's, ``modules``: free names
    that are modules."""

    def __init__(
        self, trees: Mapping[str, ast.AST], solutions: Iterable[str] = (), modules: Iterable[str] = ()
    ) -> None:
        self._folder = os.getcwd()  # noqa: PTH109 - pathlib would cost every start
        self._trees = {self._path(file): tree for file, tree in trees.items()}
        self._solutions, self._modules = frozenset(solutions), frozenset(modules)
        self._known: _Given | None = None

    def makes_tests(self) -> bool:
        """Whether the solution has a say in which tests there are: it decorates one, or one is defined if it says so.

        Such a test could vanish, and what is left be passed. One that the text calls by its name is not asked for.
        """
        nodes = [node for tree in self._trees.values() for node in ast.walk(tree)]
        called = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        modules = _imported_names(nodes) | self._modules
        deciding = [
            (node, part)
            for node in nodes
            if isinstance(node, _Defining) and _defines_test(node, called)
            for part in _deciding(node)
            if _root(part) not in modules
        ]
        return any(self._given.decides(node, part) for node, part in deciding)

    def passes_given(self, frame: FrameType | None) -> bool:
        """Whether the call that the tests are in, above this frame, may pass what the solution gave."""
        while frame is not None and self._path(frame.f_code.co_filename) not in self._trees:
            frame = frame.f_back
        if frame is None:
            return True
        calls = self._calls(frame.f_code, frame.f_lasti)
        return not calls or any(map(self._given.is_passed, calls))

    def misses_own(self, trace: TracebackType | None) -> bool:
        """Whether a call of the tests' failed for the lack of what they name themselves, and name to the solution."""
        calls: list[list[ast.Call]] = []
        while trace is not None:
            code = trace.tb_frame.f_code
            if self._path(code.co_filename) in self._trees:
                calls.append(self._calls(code, trace.tb_lasti))
            trace = trace.tb_next
        given = self._given
        if not calls or not calls[-1] or any(given.is_passed(call) or given.is_asked(call) for call in calls[-1]):
            return False
        return any(given.names(call) & given.told for some in calls for call in some)

    def _path(self, file: str) -> str:
        return os.path.normpath(os.path.join(self._folder, file))  # noqa: PTH118

    @property
    def _given(self) -> _Given:
        if self._known is None:  # most tests never ask
            self._known = _Given(self._trees.values(), self._solutions, self._modules)
        return self._known

    def _calls(self, code: CodeType, instruction: int) -> list[ast.Call]:
        """The call at that place; where its columns are not known, those on its lines."""
        place = list(code.co_positions())[instruction // 2]
        line, end = place[0] or 0, place[1] or place[0] or 0
        tree = self._trees[self._path(code.co_filename)]
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        exact = [
            call for call in calls if (call.lineno, call.end_lineno, call.col_offset, call.end_col_offset) == place
        ]
        return exact or [call for call in calls if line <= call.lineno <= end]


class _Given:
    """Which names may hold what the solution gave. ``told``: what the arguments of calls of the solution's name."""

    def __init__(self, trees: Iterable[ast.AST], solutions: frozenset[str], modules: frozenset[str]) -> None:
        self._scopes: dict[ast.AST, int] = {}
        for tree in trees:
            self._place(tree)
        nodes = list(self._scopes)
        functions = [node for node in nodes if isinstance(node, _Function)]
        self._parameters = {node.name: self._parameters_of(node) for node in functions}
        self._own = {(0, name) for name in _solutions_names(nodes, modules) | solutions}
        for node in functions:
            if node.name == "check" and len(node.args.args) == 1:  # it is called with the function under test
                self._own |= self._parameters_of(node)
        self._derived: set[_Key] = {
            (self._scopes[node], node.name) for node in nodes if isinstance(node, ast.ExceptHandler) and node.name
        }
        edges = [edge for node in nodes for edge in self._edges(node)]
        grown = True
        while grown:
            found = self._own | self._derived
            new = {
                key for sources, targets in edges if not sources.isdisjoint(found) for key in targets
            } - self._derived
            self._derived |= new
            grown = bool(new)
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        asked = [call for call in calls if self._keys(call.func) & (self._own | self._derived)]
        self.told = {name for call in asked for name in self.names(call)}

    def decides(self, node: ast.AST, part: ast.AST) -> bool:
        """Whether a part of what is defined in no function mentions something given."""
        return not self._scopes[node] and not self._keys(part).isdisjoint(self._own | self._derived)

    def is_passed(self, call: ast.Call) -> bool:
        """Whether an argument may hold something given. The solution's functions themselves are known to the tests."""
        for part in _arguments(call):
            keys = self._keys(part)
            if keys & self._derived or (keys & self._own and not isinstance(part, ast.Name)):
                return True
        return False

    def is_asked(self, call: ast.Call) -> bool:
        """Whether it is a method of something given, or what it is called on was made of that."""
        return bool(self._keys(call.func) & (self._own | self._derived))

    def names(self, call: ast.Call) -> set[str]:
        """The names and texts that the arguments hold, and what a method is called on."""
        parts = _arguments(call) + ([call.func.value] if isinstance(call.func, ast.Attribute) else [])
        found = set()
        for node in (node for part in parts for node in ast.walk(part)):
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(f".{node.attr}")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(repr(node.value))
        return found - {"self", "open", "os", "Path", "pathlib", ".path", ".join", "str"}

    def _place(self, tree: ast.AST) -> None:
        waiting = [(tree, 0)]
        while waiting:
            node, scope = waiting.pop()
            self._scopes[node] = scope
            inner = scope or (len(self._scopes) if isinstance(node, _Function) else 0)
            waiting += [(child, inner) for child in ast.iter_child_nodes(node)]

    def _keys(self, part: ast.AST | None) -> set[_Key]:
        """All that it mentions."""
        found: set[_Key] = set()
        for node in ast.walk(part) if part is not None else ():
            if isinstance(node, ast.Name) and node.id not in ("self", "cls"):
                found |= {(self._scopes[node], node.id), (0, node.id)}
            elif isinstance(node, ast.Attribute):
                found.add((0, f".{node.attr}"))
        return found

    def _targets(self, part: ast.AST | None) -> set[_Key]:
        scope = self._scopes[part] if part is not None else 0
        return {key for key in self._keys(part) if key[0] == scope or key[1].startswith(".")}

    def _parameters_of(self, function: _Function | ast.Lambda) -> set[_Key]:
        arguments = function.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        return {(self._scopes[one], one.arg) for one in every if one is not None and one.arg not in ("self", "cls")}

    def _edges(self, node: ast.AST) -> Iterator[_Edge]:
        if isinstance(node, ast.Assign):
            yield self._keys(node.value), {key for target in node.targets for key in self._targets(target)}
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            yield self._keys(node.value), self._targets(node.target)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            yield self._keys(node.iter), self._targets(node.target)
        elif isinstance(node, ast.withitem):
            yield self._keys(node.context_expr), self._targets(node.optional_vars)
        elif isinstance(node, _Function):
            results = [
                part.value for part in ast.walk(node) if isinstance(part, ast.Return | ast.Yield | ast.YieldFrom)
            ]
            yield {key for value in results for key in self._keys(value)}, {(0, node.name), (0, f".{node.name}")}
            yield {key for part in node.decorator_list for key in self._keys(part)}, self._parameters_of(node)
        elif isinstance(node, ast.Call):
            passed = {key for part in _arguments(node) for key in self._keys(part)}
            on = node.func.value if isinstance(node.func, ast.Attribute) else None
            yield passed, self._parameters.get(_called(node.func), set())
            if isinstance(on, ast.Name):  # it may keep what it is given
                yield passed, self._targets(on)
            for part in _arguments(node):
                taken = self._parameters_of(part) if isinstance(part, ast.Lambda) else None
                yield passed | self._keys(node.func), taken or self._parameters.get(_called(part), set())


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _called(part: ast.expr) -> str:
    return part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else ""


def _deciding(node: ast.AST) -> list[ast.expr]:
    """What makes a test of a definition: decorators without their arguments, and conditions."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
        case ast.If() | ast.While():
            return [node.test]
        case ast.For():
            return [node.iter]
        case ast.Match():
            return [node.subject]
    return []


def _defines_test(node: ast.AST, called: AbstractSet[str]) -> bool:
    """Whether a test is defined there that nothing but a runner calls."""
    return any(
        isinstance(part, _Function) and part.name.startswith("test") and part.name not in called
        for part in ast.walk(node)
    )


def _root(part: ast.AST) -> str:
    """The name that an expression begins with; empty where it is none."""
    while isinstance(part, ast.Attribute | ast.Call | ast.Subscript):
        part = part.func if isinstance(part, ast.Call) else part.value
    return part.id if isinstance(part, ast.Name) else ""


def _imported_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that are imported from elsewhere than the solution."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module if isinstance(node, ast.ImportFrom) else None
            found |= {
                alias.asname or alias.name.partition(".")[0]
                for alias in node.names
                if "solution" not in (module, alias.name)
            }
    return found


def _solutions_names(nodes: Iterable[ast.AST], modules: frozenset[str]) -> set[str]:
    """Names that are imported from the solution, and those that nothing binds."""
    loaded: set[str] = set()
    bound: set[str] = set()
    solutions = {"solution"}
    for node in nodes:
        if isinstance(node, ast.Name):
            (loaded if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler):
            bound.add(node.name or "")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                from_solution = (node.module if isinstance(node, ast.ImportFrom) else alias.name) == "solution"
                (solutions if from_solution else bound).add(alias.asname or alias.name.partition(".")[0])
    return solutions | (loaded - bound - _BUILTINS - modules)

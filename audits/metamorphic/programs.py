"""Rewrites of a Python program that keep what it does. Each is made only where syntax proves that it is safe.

A program that can look at itself (``locals``, ``eval``, ``sys``, ``inspect``) is only printed anew.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from random import Random

from audits.metamorphic.program import (
    CODE,
    functions,
    make_unused_name,
    on_tree,
    parse_program,
    sees_itself,
    source,
    write_response,
)
from audits.metamorphic.transformation import Task, keeping

Change = Callable[[ast.Module, str, Random], bool]
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}


def program_printed_anew(task: Task, dice: Random) -> str | None:
    """Parsed and printed again: comments and layout are gone."""
    text = source(task)
    tree = parse_program(text) if text is not None else None
    if tree is None:
        return None
    try:
        return write_response(ast.unparse(tree))
    except (ValueError, RecursionError):
        return None


def program_with_comments(task: Task, dice: Random) -> str | None:
    """With a comment before and after it."""
    text = source(task)
    tree = parse_program(text) if text is not None else None
    if text is None or tree is None or sees_itself(text):
        return None
    commented = f"# a solution\n{text}\n# the end"
    again = parse_program(commented)
    return write_response(commented) if again is not None and ast.dump(again) == ast.dump(tree) else None


def program_returns_in_parentheses(task: Task, dice: Random) -> str | None:
    """What is returned in parentheses."""
    text = source(task)
    tree = parse_program(text) if text is not None else None
    if text is None or tree is None or sees_itself(text):
        return None
    lines = text.encode().split(b"\n")
    changed = False
    returned = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return) and node.value is not None]
    # from the end, so that positions before stay what they are
    for value in sorted(returned, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        if value.lineno == value.end_lineno and value.end_col_offset is not None:
            line = lines[value.lineno - 1]
            start, end = value.col_offset, value.end_col_offset
            lines[value.lineno - 1] = line[:start] + b"(" + line[start:end] + b")" + line[end:]
            changed = True
    result = b"\n".join(lines).decode(errors="replace")
    return write_response(result) if changed and parse_program(result) is not None else None


def _docstrings(tree: ast.Module, text: str, dice: Random) -> bool:
    if sees_itself(text):
        return False
    changed = False
    for function in functions(tree):
        if ast.get_docstring(function) is None:
            function.body.insert(0, ast.Expr(ast.Constant("Does what was asked for.")))
            changed = True
    return changed


def _dead_assignment(tree: ast.Module, text: str, dice: Random) -> bool:
    if sees_itself(text):
        return False
    name = make_unused_name(text, "unused_value")
    changed = False
    for function in functions(tree):
        place = 1 if ast.get_docstring(function) is not None else 0
        function.body.insert(place, ast.Assign([ast.Name(name, ast.Store())], ast.Constant(0), lineno=0))
        changed = True
    return changed


def _dead_function(tree: ast.Module, text: str, dice: Random) -> bool:
    if sees_itself(text):
        return False
    name = make_unused_name(text, "unused_function")
    [function] = ast.parse(f"def {name}():\n    return None").body
    tree.body.insert(_after_head(tree), function)
    return True


def _renamed(tree: ast.Module, text: str, dice: Random) -> bool:
    """Locals of functions without inner scopes that are bound by plain assignments and loops alone."""
    if sees_itself(text):
        return False
    changed = False
    for function in functions(tree):
        own = _own_locals(function)
        fresh = {
            name: make_unused_name(text, f"local_{place}_of_{function.name}") for place, name in enumerate(sorted(own))
        }
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in fresh:
                node.id = fresh[node.id]
                changed = True
    return changed


def _own_locals(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    inner = [node for node in ast.walk(function) if node is not function]
    if any(isinstance(node, _SCOPES) for node in inner):
        return set()
    bound = {node.id for node in inner if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    arguments = function.args
    taken = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    taken |= {each.arg for each in (arguments.vararg, arguments.kwarg) if each is not None}
    outside = [*arguments.defaults, *(each for each in arguments.kw_defaults if each), *function.decorator_list]
    taken |= {node.id for each in outside for node in ast.walk(each) if isinstance(node, ast.Name)}
    for node in inner:
        taken |= _bound_otherwise(node)
    # what only a comprehension binds is a name of its scope, and one of the module or a builtin elsewhere
    for node in inner:
        if isinstance(node, ast.comprehension):
            taken |= {each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)}
    return {name for name in bound - taken if not name.startswith("__")}


def _bound_otherwise(node: ast.AST) -> set[str]:
    """Names that a node binds or declares without a Name of their own, and those of annotations."""
    match node:
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return set(names)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            return {name}
        case ast.MatchMapping(rest=str(name)):
            return {name}
        case ast.alias(name=name, asname=asname):
            return {asname or name.partition(".")[0]}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
    return set()


def _increments(tree: ast.Module, text: str, dice: Random) -> bool:
    """``i += 1`` as ``i = i + 1`` and back, for locals that are integers whatever happens."""
    changed = False
    for function in functions(tree):
        counters = _counters(function)
        for block in _blocks(function):
            for place, statement in enumerate(block):
                turned = _turned(statement, counters)
                if turned is not None:
                    block[place] = turned
                    changed = True
    return changed


def _turned(statement: ast.stmt, counters: set[str]) -> ast.stmt | None:
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if name in counters:
            return ast.Assign([ast.Name(name, ast.Store())], ast.BinOp(ast.Name(name, ast.Load()), op, value))
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=same), op=op, right=ast.Constant() as value)
        ) if name == same and name in counters:
            return ast.AugAssign(ast.Name(name, ast.Store()), op, value)
    return None


def _counters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Own locals whose every binding is an integer, or a sum with one."""
    counted: set[str] = set()
    sure: set[int] = set()
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value) if _is_count(value, name):
                counted.add(name)
                sure.add(id(target))
            case ast.AugAssign(target=ast.Name(id=name) as target, op=ast.Add() | ast.Sub(), value=value) if _is_int(
                value
            ):
                counted.add(name)
                sure.add(id(target))
    unsure = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in sure
    }
    return (counted & _own_locals(function)) - unsure


def _is_count(value: ast.expr, name: str) -> bool:
    match value:
        case ast.BinOp(left=ast.Name(id=same), op=ast.Add() | ast.Sub(), right=right):
            return same == name and _is_int(right)
    return _is_int(value)


def _is_int(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and type(value.value) is int


def _loops(tree: ast.Module, text: str, dice: Random) -> bool:
    """``while c: ...`` as ``while True: if not c: break; ...``, where no ``else`` follows."""
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, ast.While) and not node.orelse and not isinstance(node.test, ast.Constant):
            node.body.insert(0, ast.If(ast.UnaryOp(ast.Not(), node.test), [ast.Break()], []))
            node.test = ast.Constant(True)
            changed = True
    return changed


def _branches(tree: ast.Module, text: str, dice: Random) -> bool:
    """``if c: A else: B`` as ``if not c: B else: A``."""
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and node.orelse:
            node.test = ast.UnaryOp(ast.Not(), node.test)
            node.body, node.orelse = node.orelse, node.body
            changed = True
    return changed


def _comparisons(tree: ast.Module, text: str, dice: Random) -> bool:
    """``a < 5`` as ``5 > a``, with a whole number on the right."""
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and _is_int(node.comparators[0]):
            flipped = _FLIPPED.get(type(node.ops[0]))
            if flipped is not None:
                node.left, node.comparators, node.ops = node.comparators[0], [node.left], [flipped()]
                changed = True
    return changed


def _definitions(tree: ast.Module, text: str, dice: Random) -> bool:
    """Neighbouring functions the other way round, where their definitions do nothing but to name them."""
    if sees_itself(text):
        return False
    changed = False
    run: list[int] = []
    for place in range(len(tree.body) + 1):
        statement = tree.body[place] if place < len(tree.body) else None
        if isinstance(statement, ast.FunctionDef) and _only_names(statement):
            run.append(place)
            continue
        defined = [tree.body[at] for at in run]
        names = {each.name for each in defined if isinstance(each, ast.FunctionDef)}
        if len(defined) > 1 and len(names) == len(defined):
            tree.body[run[0] : place] = defined[::-1]
            changed = True
        run = []
    return changed


def _only_names(function: ast.FunctionDef) -> bool:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    annotated = any(each is not None and each.annotation is not None for each in every) or function.returns is not None
    defaults = [*arguments.defaults, *(each for each in arguments.kw_defaults if each is not None)]
    return not annotated and not function.decorator_list and all(isinstance(each, ast.Constant) for each in defaults)


def _after_head(tree: ast.Module) -> int:
    """The first place after the docstring and what is imported from ``__future__``."""
    place = 1 if ast.get_docstring(tree) is not None else 0
    for at, statement in enumerate(tree.body):
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            place = at + 1
    return place


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for inner in ast.walk(node):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(inner, name, None)
            if isinstance(block, list):
                yield block


PROGRAMS = keeping(
    CODE,
    program_printed_anew,
    program_with_comments,
    program_returns_in_parentheses,
    on_tree("program_docstrings", "With docstrings.", _docstrings),
    on_tree("program_dead_assignment", "With an assignment that nothing reads.", _dead_assignment),
    on_tree("program_dead_function", "With a function that nothing calls.", _dead_function),
    on_tree("program_locals_renamed", "Locals have other names.", _renamed),
    on_tree("program_increments", "i += 1 as i = i + 1, and back.", _increments),
    on_tree("program_loops", "while c as while True with a break.", _loops),
    on_tree("program_branches", "if and else the other way round.", _branches),
    on_tree("program_comparisons", "a < 5 as 5 > a.", _comparisons),
    on_tree("program_functions_reordered", "Neighbouring functions the other way round.", _definitions),
    whole=True,
)

"""The functions of Kubernetes 1.36 that we evaluate, with their types, for the checker.

The language's own functions come with the engine. Its strings library has no `indexOf` for lists and its
comparisons no mixed numbers, so both are declared here instead.
"""

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

from inventory.dra.cel.statictypes import QUANTITY, SEMVER

_Q, _S = str(QUANTITY), str(SEMVER)
_COMPARISONS = ("_<_", "_<=_", "_>_", "_>=_")
_NUMBERS = ("int", "uint", "double")
_ORDERED = ("bool", "string", "bytes", "timestamp", "duration")

# "argument, argument -> result"; of a member the first is the receiver. A stands for any type.
_GLOBALS = {
    "quantity": [f"string -> {_Q}"],
    "isQuantity": ["string -> bool"],
    "sign": [f"{_Q} -> int"],
    "semver": [f"string -> {_S}", f"string, bool -> {_S}"],
    "isSemver": ["string -> bool", "string, bool -> bool"],
    "sets.contains": ["list(A), list(A) -> bool"],
    "sets.equivalent": ["list(A), list(A) -> bool"],
    "sets.intersects": ["list(A), list(A) -> bool"],
    "strings.quote": ["string -> string"],
    **{
        name: [f"{kind}, {kind} -> bool" for kind in _ORDERED]
        + [f"{one}, {other} -> bool" for one, other in product(_NUMBERS, _NUMBERS)]
        for name in _COMPARISONS
    },
}
_SUMMABLE = (*_NUMBERS, "duration")
_COMPARABLE = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_MEMBERS = {
    "isInteger": [f"{_Q} -> bool"],
    "asInteger": [f"{_Q} -> int"],
    "asApproximateFloat": [f"{_Q} -> double"],
    "add": [f"{_Q}, {_Q} -> {_Q}", f"{_Q}, int -> {_Q}"],
    "sub": [f"{_Q}, {_Q} -> {_Q}", f"{_Q}, int -> {_Q}"],
    "isGreaterThan": [f"{_Q}, {_Q} -> bool", f"{_S}, {_S} -> bool"],
    "isLessThan": [f"{_Q}, {_Q} -> bool", f"{_S}, {_S} -> bool"],
    "compareTo": [f"{_Q}, {_Q} -> int", f"{_S}, {_S} -> int"],
    "major": [f"{_S} -> int"],
    "minor": [f"{_S} -> int"],
    "patch": [f"{_S} -> int"],
    "find": ["string, string -> string"],
    "findAll": ["string, string -> list(string)", "string, string, int -> list(string)"],
    "includes": ["dyn, dyn -> bool"],
    "isSorted": [f"list({kind}) -> bool" for kind in _COMPARABLE],
    "min": [f"list({kind}) -> {kind}" for kind in _COMPARABLE],
    "max": [f"list({kind}) -> {kind}" for kind in _COMPARABLE],
    "sum": [f"list({kind}) -> {kind}" for kind in _SUMMABLE],
    "indexOf": ["list(A), A -> int", "string, string -> int", "string, string, int -> int"],
    "lastIndexOf": ["list(A), A -> int", "string, string -> int", "string, string, int -> int"],
    "charAt": ["string, int -> string"],
    "format": ["string, list(dyn) -> string"],
    "join": ["list(string) -> string", "list(string), string -> string"],
    "lowerAscii": ["string -> string"],
    "upperAscii": ["string -> string"],
    "trim": ["string -> string"],
    "replace": ["string, string, string -> string", "string, string, string, int -> string"],
    "split": ["string, string -> list(string)", "string, string, int -> list(string)"],
    "substring": ["string, int -> string", "string, int, int -> string"],
}


def configuration() -> str:
    """The environment of the checker, without its variables: YAML, of which JSON is a part."""
    return json.dumps(
        {
            "stdlib": {"exclude_functions": [{"name": name} for name in _COMPARISONS]},
            "functions": [*_functions(_GLOBALS, member=False), *_functions(_MEMBERS, member=True)],
        }
    )


def _functions(declared: dict[str, list[str]], *, member: bool) -> Iterator[dict[str, Any]]:
    for name, signatures in declared.items():
        overloads = [_overload(f"{name}:{signature}", signature, member=member) for signature in signatures]
        yield {"name": name, "overloads": overloads}


def _overload(identifier: str, signature: str, *, member: bool) -> dict[str, Any]:
    parameters, _, result = signature.partition(" -> ")
    kinds = [_kind(parameter) for parameter in parameters.split(", ")]
    described = {"id": identifier, "args": kinds[1:] if member else kinds, "return": _kind(result)}
    return {**described, "target": kinds[0]} if member else described


def _kind(written: str) -> dict[str, Any]:
    if written == "A":
        return {"type_name": "A", "is_type_param": True}
    if written.startswith("list("):
        return {"type_name": "list", "params": [_kind(written[5:-1])]}
    return {"type_name": written}

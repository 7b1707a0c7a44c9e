"""Conditions of audiences, written once and said in the language of each engine.

Attributes may be missing. A comparison of one that is has no value: an error in CEL, NULL in SQL
and in Polars. All of them take what has no value for no match, and decide ``&&`` and ``||`` by the
other side where that suffices, so that a condition means the same everywhere.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Sequence
from functools import reduce
from typing import Any, Protocol

Scalar = str | int | bool


class Condition(Protocol):
    def cel(self) -> str: ...

    def sql(self) -> str: ...

    def polars(self) -> Any: ...

    def growthbook(self) -> dict[str, Any]: ...


def column(path: str) -> str:
    """The name that an attribute has in flat tables: ``user.plan`` is ``user_plan``."""
    return path.replace(".", "_")


def _expression(path: str) -> Any:
    import polars

    return polars.col(column(path))


def _literal(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, str) else str(value)


def _sql_literal(value: Scalar) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else _literal(value)


class Compare:
    """An attribute beside a constant; ``Compare("user.age", ">=", 18)``."""

    _SQL = {"==": "=", "!=": "<>"}
    _POLARS = {
        "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
        ">": operator.gt, ">=": operator.ge,
    }
    _GROWTHBOOK = {"!=": "$ne", "<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte"}

    def __init__(self, path: str, how: str, value: Scalar) -> None:
        self._path, self._how, self._value = path, how, value

    def cel(self) -> str:
        return f"{self._path} {self._how} {_literal(self._value)}"

    def sql(self) -> str:
        how = self._SQL.get(self._how, self._how)
        return f"{column(self._path)} {how} {_sql_literal(self._value)}"

    def polars(self) -> Any:
        return self._POLARS[self._how](_expression(self._path), self._value)

    def growthbook(self) -> dict[str, Any]:
        if self._how == "==":
            return {self._path: self._value}
        return {self._path: {self._GROWTHBOOK[self._how]: self._value}}


class Remainder:
    """An attribute from 0 on that leaves a remainder: ``Remainder("user.seed", 10, 3)``.

    GrowthBook has no division, and lists the numbers below ``limit``.
    """

    def __init__(self, path: str, divisor: int, remainder: int, limit: int) -> None:
        self._path, self._divisor, self._remainder, self._limit = path, divisor, remainder, limit

    def cel(self) -> str:
        return f"{self._path} % {self._divisor} == {self._remainder}"

    def sql(self) -> str:
        return f"{column(self._path)} % {self._divisor} = {self._remainder}"

    def polars(self) -> Any:
        return _expression(self._path) % self._divisor == self._remainder

    def growthbook(self) -> dict[str, Any]:
        return {self._path: {"$in": list(range(self._remainder, self._limit, self._divisor))}}


class OneOf:
    """An attribute that is one of several texts."""

    def __init__(self, path: str, values: Sequence[str]) -> None:
        self._path, self._values = path, list(values)

    def cel(self) -> str:
        return f"{self._path} in [{', '.join(map(_literal, self._values))}]"

    def sql(self) -> str:
        return f"{column(self._path)} in ({', '.join(map(_sql_literal, self._values))})"

    def polars(self) -> Any:
        return _expression(self._path).is_in(self._values)

    def growthbook(self) -> dict[str, Any]:
        return {self._path: {"$in": self._values}}


class HasText:
    """A text that ``starts_with``, ``ends_with`` or ``contains`` another one."""

    _CEL = {"starts_with": "startsWith", "ends_with": "endsWith", "contains": "contains"}

    def __init__(self, path: str, how: str, text: str) -> None:
        self._path, self._how, self._text = path, how, text

    def cel(self) -> str:
        return f"{self._path}.{self._CEL[self._how]}({_literal(self._text)})"

    def sql(self) -> str:
        return f"{self._how}({column(self._path)}, {_sql_literal(self._text)})"

    def polars(self) -> Any:
        text = _expression(self._path).str
        if self._how == "contains":
            return text.contains(self._text, literal=True)
        return getattr(text, self._how)(self._text)

    def growthbook(self) -> dict[str, Any]:
        text = re.escape(self._text)
        shapes = {"starts_with": f"^{text}", "ends_with": f"{text}$", "contains": text}
        return {self._path: {"$regex": shapes[self._how]}}


class Every:
    """All of several conditions."""

    def __init__(self, *parts: Condition) -> None:
        self._parts = parts

    def cel(self) -> str:
        return " && ".join(part.cel() for part in self._parts)

    def sql(self) -> str:
        return " and ".join(part.sql() for part in self._parts)

    def polars(self) -> Any:
        return reduce(operator.and_, (part.polars() for part in self._parts))

    def growthbook(self) -> dict[str, Any]:
        parts = [part.growthbook() for part in self._parts]
        # As it is written where each attribute is there once.
        merged = {path: value for part in parts for path, value in part.items()}
        return merged if len(merged) == sum(map(len, parts)) else {"$and": parts}


class Some:
    """One of several conditions, or more."""

    def __init__(self, *parts: Condition) -> None:
        self._parts = parts

    def cel(self) -> str:
        return "(" + " || ".join(part.cel() for part in self._parts) + ")"

    def sql(self) -> str:
        return "(" + " or ".join(part.sql() for part in self._parts) + ")"

    def polars(self) -> Any:
        return reduce(operator.or_, (part.polars() for part in self._parts))

    def growthbook(self) -> dict[str, Any]:
        return {"$or": [part.growthbook() for part in self._parts]}


class Known:
    """A condition on an attribute that may be missing, and what is true where it is."""

    def __init__(self, path: str, part: Condition, *, otherwise: bool = False) -> None:
        self._path, self._part, self._otherwise = path, part, otherwise

    def cel(self) -> str:
        return f"(has({self._path}) ? {self._part.cel()} : {_literal(self._otherwise)})"

    def sql(self) -> str:
        name = column(self._path)
        if self._otherwise:
            return f"({name} is null or {self._part.sql()})"
        return f"({name} is not null and {self._part.sql()})"

    def polars(self) -> Any:
        there = _expression(self._path)
        if self._otherwise:
            return there.is_null() | self._part.polars()
        return there.is_not_null() & self._part.polars()

    def growthbook(self) -> dict[str, Any]:
        there = {self._path: {"$exists": not self._otherwise}}
        return {"$or" if self._otherwise else "$and": [there, self._part.growthbook()]}

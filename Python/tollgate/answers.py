"""Answers of a config: decisions, findings, explanations."""

from __future__ import annotations

from ._json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Generic, Literal

    from typing_extensions import TypeVar

    from . import answer_types, table_types

    Result = Literal[
        "paywall", "holdout", "noAudienceMatch", "placementNotFound", "error", "undecidable",
    ]
    Severity = Literal["error", "warning", "note"]

    # Placement, result, audience, experiment, variant, paywall.
    _Outcome = tuple[str, Result, int | None, str | None, str | None, str | None]

    _Answer_co = TypeVar("_Answer_co", covariant=True, default=answer_types.Explanation)

    class _Of(Generic[_Answer_co]):
        """An explanation, with the type of its dictionary."""

        __slots__ = ()
else:
    _Answer_co = None

    class _Of:
        # ``typing`` takes longer to import than this package.
        __slots__ = ()

        def __class_getitem__(cls, parameter: object) -> type:
            return cls



class _Value:
    """An immutable value, like a frozen data class.

    ``dataclasses`` is not used, because it imports ``inspect``, which takes longer than importing
    this package.
    """

    __slots__: tuple[str, ...] = ()
    # The parts of the value, in the order of the arguments.
    __match_args__: tuple[str, ...] = ()

    def _parts(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in type(self).__match_args__)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be set: it does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted: it does not change")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, _Value):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        # Other parts, such as documents, cannot be hashed.
        return hash(tuple(part for part in self._parts() if isinstance(part, (str, int))))

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name in type(self).__match_args__)
        return f"{type(self).__name__}({', '.join(parts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._parts()


_set = object.__setattr__


class Decision(_Value):
    """The outcome of one placement for one user.

    ``errors`` are the rules that failed; a rule that fails does not match. ``texts`` are the
    rendered texts of the paywall, if requested.
    """

    # Users with the same outcome share one value.
    __slots__ = ("_outcome", "errors", "texts", "user_id")
    __match_args__ = (
        "user_id", "placement", "result", "audience", "experiment", "variant", "paywall", "errors",
        "texts",
    )
    user_id: str
    errors: tuple[answer_types.ErrorsItem, ...]
    texts: Mapping[str, str]
    _outcome: _Outcome

    def __init__(
        self,
        user_id: str,
        placement: str,
        result: Result,
        audience: int | None = None,
        experiment: str | None = None,
        variant: str | None = None,
        paywall: str | None = None,
        errors: tuple[answer_types.ErrorsItem, ...] = (),
        texts: Mapping[str, str] | None = None,
    ) -> None:
        _set(self, "user_id", user_id)
        _set(self, "_outcome", (placement, result, audience, experiment, variant, paywall))
        _set(self, "errors", errors)
        _set(self, "texts", {} if texts is None else texts)

    @property
    def placement(self) -> str:
        return self._outcome[0]

    @property
    def result(self) -> Result:
        return self._outcome[1]

    @property
    def audience(self) -> int | None:
        """The index of the audience that took the user, from 0."""
        return self._outcome[2]

    @property
    def experiment(self) -> str | None:
        return self._outcome[3]

    @property
    def variant(self) -> str | None:
        return self._outcome[4]

    @property
    def paywall(self) -> str | None:
        return self._outcome[5]


class _Draft(_Value):
    """A mutable decision. Filling in a draft takes a third of the time of creating a decision."""

    __slots__ = Decision.__slots__
    # Replaces both methods, because Python stores them together.
    __setattr__ = object.__setattr__  # type: ignore[assignment]
    __delattr__ = object.__delattr__


def _decision(
    user_id: str, outcome: _Outcome, errors: tuple[answer_types.ErrorsItem, ...],
    texts: Mapping[str, str],
) -> Decision:
    made: Any = _Draft()
    made.user_id = user_id
    made._outcome = outcome
    made.errors = errors
    made.texts = texts
    made.__class__ = Decision
    found: Decision = made
    return found


def _outcome(found: Mapping[str, Any]) -> _Outcome:
    result = found["result"]
    experiment = result.get("experiment")
    return (
        found["placement"], result["result"], found.get("audience"),
        experiment and experiment["id"], experiment and experiment["variant"]["id"],
        found.get("paywall"),
    )


class DecisionReader:
    """Reads decisions of one config: ``{"decisions":[{"userId":"u","placement":"p",..},..]}``.

    The JSON after the user's ID is the same for all users with the same outcome, so it is read
    only once. A config's variants and placements limit the number of these strings.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[bytes, _Outcome] = {}

    def plain(self, answer: bytes) -> list[Decision]:
        """Returns the decisions of an answer without texts."""
        # This separator does not occur inside a string, because quotes are escaped there.
        head, _, rest = answer.partition(b',"placement":')
        if not rest:
            return []
        user_id = head[25:-1].decode()
        if "\\" in user_id:
            user_id = loads(head[24:])
        known = self._known
        alone = known.get(rest[:-2])
        if alone is not None:
            return [_decision(user_id, alone, (), {})]
        found = []
        # Every decision begins with the characters after '{"decisions":['.
        for text in rest[:-2].split(b"," + head[14:] + b',"placement":'):
            parts = known.get(text)
            errors: tuple[answer_types.ErrorsItem, ...] = ()
            if parts is None:
                value = loads(b'{"placement":' + text)
                parts = _outcome(value)
                errors = tuple(value.get("errors", ()))
                # Errors differ from user to user.
                if not errors:
                    known[text] = parts
            found.append(_decision(user_id, parts, errors, {}))
        return found

    def with_texts(self, answer: bytes) -> list[Decision]:
        """Returns the decisions of an answer with the paywalls' texts."""
        return [
            _decision(
                found["userId"], _outcome(found), tuple(found.get("errors", ())),
                found.get("texts") or {},
            )
            for found in loads(answer)["decisions"]
        ]


class Diagnostic(_Value):
    """One finding about a config.

    ``details`` is the finding as ``tollgate check --json`` prints it, with its place in the source.
    """

    __slots__ = __match_args__ = ("severity", "code", "message", "path", "details")
    severity: Severity
    code: str
    message: str
    path: str | None
    details: answer_types.Diagnostic

    def __init__(
        self,
        severity: Severity,
        code: str,
        message: str,
        path: str | None,
        details: answer_types.Diagnostic,
    ) -> None:
        _set(self, "severity", severity)
        _set(self, "code", code)
        _set(self, "message", message)
        _set(self, "path", path)
        _set(self, "details", details)

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{self.severity}[{self.code}]: {where}{self.message}"


class Requirement(str):
    """An attribute that rules read, such as ``user.plan``: a string with additional properties.

    ``kinds`` are the types that rules expect, the most specific type first: ``string``, ``number``,
    ``integer``, ``boolean``, ``date``, ``map``, ``list`` or ``list<string>``. If ``kinds`` is
    empty, rules only test whether the attribute exists. ``placements`` are the placements whose
    rules read the attribute. If a missing attribute is derived from others, ``derived_from`` has
    those attributes. ``derived_from`` is an empty tuple if the time is enough, and None if the
    attribute is not derived.
    """

    kinds: tuple[str, ...]
    placements: tuple[str, ...]
    derived_from: tuple[str, ...] | None

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Requirement:
        """Creates a requirement from the library's description."""
        made = cls(value["path"])
        made.kinds = tuple(value["kinds"])
        made.placements = tuple(value["placements"])
        sources = value.get("derivedFrom")
        made.derived_from = None if sources is None else tuple(sources)
        return made


class Query(str):
    """Rules in SQL: a string with the query, and additional properties.

    ``columns`` are the columns that the query reads: ``[{"path": "user.plan", "names":
    ["user.plan"], "kind": "text", "type": "VARCHAR"}]``. ``placements`` says whether SQL can
    express each placement, and if not, gives the reason for each audience. ``audiences`` has the
    numbers ``{"total": 4, "covered": 3}``. ``summary`` is a sentence with these numbers.
    """

    columns: list[table_types.QueryColumn]
    placements: list[table_types.QueryPlacement]
    audiences: table_types.QueryAudiences
    summary: str

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> Query:
        """Creates a query from the library's description."""
        made = cls(value["sql"])
        for name in ("columns", "placements", "audiences", "summary"):
            setattr(made, name, value[name])
        return made


class Explanation(_Of[_Answer_co]):
    """The explanation of a decision.

    ``str()`` returns text for people, and :meth:`to_dict` data for programs. Notebooks show the
    explanation with colors.
    """

    __slots__ = ("_text", "_value")

    def __init__(self, value: Any, text: str) -> None:
        self._value = value
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        if "placement" in self._value:
            return f"<Explanation of {self._value['placement']!r}>"
        return f"<Explanation of audience {self._value.get('index')}>"

    def _repr_html_(self) -> str:
        from ._html import explanation

        return explanation(self._value, self._text)

    def to_dict(self) -> _Answer_co:
        """Returns the explanation as ``tollgate explain --json`` prints it."""
        found: _Answer_co = self._value
        return found

    @property
    def changes(self) -> list[answer_types.Change] | None:
        """The smallest change after which the audience of ``explain(audience=...)`` takes the user.

        For example ``[{"path": "user.plan", "from": "pro", "to": "free"}]``, or None if no such
        change exists.
        """
        found: list[answer_types.Change] | None = self._value.get("changes")
        return found


class Differences(dict):  # type: ignore[type-arg]
    """The differences between two configs: a dictionary that notebooks show as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from ._html import differences

        return differences(self)

"""What a config answers: decisions, findings, explanations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Result = Literal["paywall", "holdout", "noAudienceMatch", "placementNotFound", "error"]
Severity = Literal["error", "warning", "note"]


class _Value:
    """A value that does not change, as a frozen data class is.

    Not one of those, because ``dataclasses`` brings ``inspect`` along, which takes longer to import
    than this package.
    """

    __slots__: tuple[str, ...] = ()

    def _parts(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in type(self).__slots__)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be set: it does not change")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted: it does not change")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, _Value):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def __repr__(self) -> str:
        parts = (f"{name}={getattr(self, name)!r}" for name in type(self).__slots__)
        return f"{type(self).__name__}({', '.join(parts)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._parts()


_set = object.__setattr__


class Decision(_Value):
    """What one user gets at one placement.

    ``errors`` are the rules that failed on the way: a rule that fails does not match. ``texts`` are
    those of the paywall, where they were asked for.
    """

    __slots__ = __match_args__ = (
        "user_id", "placement", "result", "audience", "experiment", "variant", "paywall", "errors",
        "texts",
    )
    user_id: str
    placement: str
    result: Result
    audience: int | None
    experiment: str | None
    variant: str | None
    paywall: str | None
    errors: tuple[dict[str, Any], ...]
    texts: Mapping[str, str]

    def __init__(
        self,
        user_id: str,
        placement: str,
        result: Result,
        audience: int | None = None,
        experiment: str | None = None,
        variant: str | None = None,
        paywall: str | None = None,
        errors: tuple[dict[str, Any], ...] = (),
        texts: Mapping[str, str] | None = None,
    ) -> None:
        _set(self, "user_id", user_id)
        _set(self, "placement", placement)
        _set(self, "result", result)
        _set(self, "audience", audience)
        _set(self, "experiment", experiment)
        _set(self, "variant", variant)
        _set(self, "paywall", paywall)
        _set(self, "errors", errors)
        _set(self, "texts", {} if texts is None else texts)


class Diagnostic(_Value):
    """One finding about a config.

    ``details`` is the finding as ``tollgate check --json`` prints it, with its place in the text.
    """

    __slots__ = __match_args__ = ("severity", "code", "message", "path", "details")
    severity: Severity
    code: str
    message: str
    path: str | None
    details: dict[str, Any]

    def __init__(
        self, severity: Severity, code: str, message: str, path: str | None, details: dict[str, Any]
    ) -> None:
        _set(self, "severity", severity)
        _set(self, "code", code)
        _set(self, "message", message)
        _set(self, "path", path)
        _set(self, "details", details)

    def __str__(self) -> str:
        where = f"{self.path}: " if self.path else ""
        return f"{self.severity}[{self.code}]: {where}{self.message}"


class Explanation:
    """Why a user gets what they get: ``str()`` for people, :meth:`to_dict` for programs."""

    __slots__ = ("_text", "_value")

    def __init__(self, value: dict[str, Any], text: str) -> None:
        self._value = value
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Explanation of {self._value.get('placement')!r}>"

    def to_dict(self) -> dict[str, Any]:
        """The explanation as ``tollgate explain --json`` prints it."""
        return self._value

    @property
    def changes(self) -> list[dict[str, Any]] | None:
        """The smallest change that makes the audience take the user; only of one audience.

        ``[{"path": "user.plan", "from": "pro", "to": "free"}]``; None where there is none.
        """
        return self._value.get("changes")

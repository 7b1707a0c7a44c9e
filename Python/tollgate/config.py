"""Compiled configs: decisions, explanations, texts and findings."""

from __future__ import annotations

import ctypes
import os

from ._json import loads
from ._library import Text, checked, library
from ._questions import Questions
from ._records import embedded, json_bytes, kind_of, names_of, record_of, time_text
from .answers import Decision, DecisionReader, Diagnostic, Explanation, Requirement

# Modules that only types or a few calls need are imported later.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, overload

    from typing_extensions import Unpack

    from .answer_types import AudienceExplanation
    from .option_types import (
        JSON,
        ConfigOptions,
        Dialect,
        Document,
        Names,
        PlanOptions,
        Products,
        Record,
        Time,
    )
    from .plan import Plan

    # The key of a cached request: placement, time, seed, whether it has texts, SDK, and True for
    # several placements.
    _Asked = tuple[Any, ...]

_decide = library.tg_decide


# Members of a request that are not part of a user record.
_ASKED = frozenset((
    "placements", "now", "seed", "texts", "explain", "reasons", "products", "requestId", "record",
    "sdkVersion",
))
# The last requests, because programs often repeat a request for another user.
_MOST_ASKED = 128


class Config(Questions):
    """A compiled config. A config never changes, and any number of threads may use it.

    A config can be pickled. Unpickling compiles its source again.

    >>> config = Config.loads({"build_id": "1", "trigger_options": [{"event_name": "export",
    ...     "rules": [{"experiment_id": "e", "experiment_group_id": "g",
    ...       "expression_cel": "user.plan == 'free'", "variants": [{"variant_id": "v",
    ...       "variant_type": "TREATMENT", "percentage": 100, "paywall_identifier": "annual"}]}]}]})
    >>> config.placements
    ['export']
    >>> config.requirements
    ['user.plan']
    >>> config.decide("export", {"userId": "u", "user": {"plan": "free"}}).paywall
    'annual'
    """

    __slots__ = ("_asked", "_facts", "_given", "_pointer", "_reader", "diagnostics")

    def __init__(
        self,
        text: bytes,
        *,
        dialect: Dialect = "superscript:ios",
        seed: str = "",
        assigner: Literal["hash", "djb2"] | None = None,
        time_zone: str = "UTC",
        products: Products | None = None,
        texts: Document | None = None,
        strict: bool = False,
    ) -> None:
        self._pointer: int | None = None
        if not isinstance(text, bytes):
            raise TypeError(
                f"a config is made of bytes, not of {kind_of(text)}; "
                "use Config.load(path) or Config.loads(text)"
            )
        products, texts = embedded(products), embedded(texts)  # type: ignore[assignment]
        # The state from which another process creates the same config.
        self._given: tuple[bytes, dict[str, Any]] = (text, {
            "dialect": dialect, "seed": seed, "assigner": assigner, "time_zone": time_zone,
            "products": products, "texts": texts, "strict": strict,
        })
        options: dict[str, object] = {
            "platform": _platform(dialect), "seed": seed, "assigner": assigner,
            "timeZone": time_zone, "products": products, "texts": texts, "strict": strict,
        }
        given = json_bytes({name: value for name, value in options.items() if value is not None})
        out, said = ctypes.c_void_p(), Text()
        status = library.tg_config_compile(
            text, len(text), given, len(given), ctypes.byref(out), ctypes.byref(said)
        )
        found = loads(checked(status, said))
        self._pointer = out.value
        self.diagnostics: list[Diagnostic] = [
            Diagnostic(
                item["severity"], item["code"], item["message"], item.get("path"), item
            )
            for item in found
        ]
        self._facts: dict[str, Any] | None = None
        self._reader = DecisionReader()
        self._asked: dict[tuple[Any, ...], bytes] = {}

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], **options: Unpack[ConfigOptions]
    ) -> Config:
        """Reads a config from a file.

        :param dialect: how conditions are evaluated: ``superscript:ios``, ``superscript:android``,
            ``superscript:web`` or ``cel``.
        :param seed: the seed of the draws of variants.
        :param assigner: ``hash`` or ``djb2`` (default: by the config's format).
        :param time_zone: the time zone of attributes and functions that depend on the day.
        :param products: products with prices, as a document or a ``Path``.
        :param texts: texts of paywalls, as a document or a ``Path``.
        :param strict: whether to reject a config with errors in some rules.
        :raises ConfigError: if the config is invalid.
        """
        if isinstance(path, (str, bytes)) and path.lstrip()[:1] in ("{", b"{"):
            raise ValueError("this is a config, not the path of one; use Config.loads(text)")
        with open(path, "rb") as file:
            return cls(file.read(), **options)

    @classmethod
    def loads(cls, text: JSON, **options: Unpack[ConfigOptions]) -> Config:
        """Reads a config from a string, bytes, or a dictionary; see :meth:`load`."""
        if isinstance(text, str):
            if "{" not in text and text.endswith(".json"):
                raise ValueError(f"'{text}' is a path, not a config; use Config.load(path)")
            return cls(text.encode(), **options)
        return cls(text if isinstance(text, bytes) else json_bytes(text), **options)

    def __del__(self) -> None:
        pointer = getattr(self, "_pointer", None)
        if pointer and library is not None:
            library.tg_config_free(pointer)

    def __repr__(self) -> str:
        return f"<Config with {len(self.placements)} placements>"

    # A copy is the same object, because its object in the library must be freed only once.

    def __copy__(self) -> Config:
        return self

    def __deepcopy__(self, memo: object) -> Config:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _compiled, self._given

    # What it is

    def _described(self) -> dict[str, Any]:
        if self._facts is None:
            text = Text()
            status = library.tg_config_describe(self._pointer, ctypes.byref(text))
            self._facts = loads(checked(status, text))
        return self._facts

    @property
    def placements(self) -> list[str]:
        return list(self._described()["placements"])

    @property
    def requirements(self) -> list[Requirement]:
        """The attributes that rules read, such as ``user.plan``: the columns to select.

        Each attribute is a string with the types that rules need.
        """
        return [Requirement.of(value) for value in self._described()["attributes"]]

    @property
    def events(self) -> list[str]:
        """The names of the events that rules read."""
        return list(self._described()["events"])

    @property
    def paywalls(self) -> list[str]:
        return list(self._described()["paywalls"])

    @property
    def format(self) -> str:
        """``superwall`` or ``agentWallie``."""
        return str(self._described()["format"])

    # One user

    def decide(
        self,
        placement: str,
        user: Record,
        *,
        now: Time | None = None,
        seed: str | None = None,
        texts: bool = False,
        sdk_version: str | None = None,
    ) -> Decision:
        """Decides a placement for a user.

        :param user: a user record: ``{"userId": "u-1", "user": {"plan": "free"}}``; ``device``,
            ``assignments``, ``events``, ``occurrences`` and ``entitlements`` are optional.
        :param now: the time to decide at (default: the current time).
        :param seed: overrides the seed of the config.
        :param texts: whether to render the texts that were loaded with the config.
        :param sdk_version: the SDK that decides: ``newest``, a version such as ``4.12.5``,
            ``ios=4.12.5,android=2.6.8``, or ``record`` for the SDK of the user's device.
        :raises RecordError: if the record is invalid, or the placement does not exist.
        """
        answer = self._answer(user, (placement, now, seed, texts, sdk_version))
        return (self._reader.with_texts(answer) if texts else self._reader.plain(answer))[0]

    def decide_all(
        self,
        user: Record,
        *,
        placements: Names | None = None,
        now: Time | None = None,
        seed: str | None = None,
        texts: bool = False,
        sdk_version: str | None = None,
    ) -> list[Decision]:
        """Decides several placements, or all placements, for a user."""
        names = tuple(names_of(placements)) if placements is not None else None
        answer = self._answer(user, (names, now, seed, texts, sdk_version, True))
        return self._reader.with_texts(answer) if texts else self._reader.plain(answer)

    def _answer(self, user: Record, asked: _Asked) -> bytes:
        """Returns the library's answer for a user, with as few calls as possible."""
        plain = type(user) is dict and type(user.get("userId")) is str
        record = user if plain else record_of(user)
        now = asked[1]
        if now is not None and now.__class__ is not str:
            # When clocks are set back, two equal times can be different moments.
            asked = (asked[0], time_text(now), *asked[2:])
        try:
            suffix = self._asked.get(asked)
        except TypeError:
            # An unknown name, which the library reports.
            suffix = None
        if suffix is None:
            suffix = self._asking(asked)
        if record and _ASKED.isdisjoint(record):
            body = json_bytes(record)[:-1] + suffix
        else:
            # A record cannot set options of the call, as columns of a table cannot.
            user = {name: value for name, value in record.items() if name not in _ASKED}
            body = json_bytes({**user, **loads(b"{" + suffix.removeprefix(b","))})
        text = Text()
        return checked(_decide(self._pointer, body, len(body), text), text)

    def _asking(self, asked: _Asked) -> bytes:
        """Returns the part of a request's JSON after the user, and caches this part."""
        placement, now, seed, texts, sdk, *several = asked
        request: dict[str, Any] = {}
        if not several:
            request["placements"] = [placement]
        elif placement is not None:
            request["placements"] = placement
        if now is not None:
            request["now"] = now
        if seed is not None:
            request["seed"] = seed
        if texts:
            request["texts"] = True
        if sdk is not None:
            request["sdkVersion"] = sdk
        suffix = b"," + json_bytes(request)[1:] if request else b"}"
        if len(self._asked) >= _MOST_ASKED:
            self._asked.clear()
        try:
            self._asked[asked] = suffix
        except TypeError:
            pass
        return suffix

    if TYPE_CHECKING:
        # Explains a decision, or one audience.
        @overload
        def explain(
            self,
            placement: str,
            user: Record,
            *,
            audience: None = None,
            set: Mapping[str, Any] | None = None,
            now: Time | None = None,
            seed: str | None = None,
            sdk_version: str | None = None,
        ) -> Explanation: ...
        @overload
        def explain(
            self,
            placement: str,
            user: Record,
            *,
            audience: int | str,
            set: Mapping[str, Any] | None = None,
            now: Time | None = None,
            seed: str | None = None,
            sdk_version: str | None = None,
        ) -> Explanation[AudienceExplanation]: ...

    def explain(
        self,
        placement: str,
        user: Record,
        *,
        audience: int | str | None = None,
        set: Mapping[str, Any] | None = None,
        now: Time | None = None,
        seed: str | None = None,
        sdk_version: str | None = None,
    ) -> Explanation[Any]:
        """Explains a decision: every audience, every clause, every value.

        With ``audience`` (its number, ID, experiment or name), only this audience is explained,
        with the smallest change after which it takes the user. ``set`` changes attributes before
        the explanation: ``set={"user.plan": "pro"}``.
        """
        request: dict[str, Any] = {"placement": placement, "user": record_of(user)}
        for name, value in (
            ("audience", audience), ("set", set), ("now", time_text(now)), ("seed", seed),
            ("sdkVersion", sdk_version),
        ):
            if value is not None:
                request[name] = value
        value = self._ask("tg_explain", request)
        text = self._ask("tg_explain", {**request, "text": True})
        return Explanation(value, text["text"])

    # Many users

    def plan(
        self, placements: Names | None = None, **options: Unpack[PlanOptions]
    ) -> Plan:
        """Creates a plan, which decides every row of a table; see :class:`tollgate.Plan`."""
        from .plan import Plan

        plan = Plan(self, placements, **options)
        plan._warn(2)
        return plan


def _compiled(text: bytes, options: Mapping[str, Any]) -> Config:
    """Creates a config that was pickled in another process."""
    return Config(text, **options)


def _platform(dialect: str) -> str:
    known = {"cel": "cel", "superscript": "ios"}
    known.update((f"superscript:{name}", name) for name in ("ios", "android", "web"))
    if isinstance(dialect, str) and dialect in known:
        return known[dialect]
    raise ValueError(
        f"dialect={dialect!r}: use superscript:ios, superscript:android, superscript:web or cel"
    )

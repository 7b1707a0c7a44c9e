"""Questions about a config: texts, findings, differences, coverage, and queries of databases."""

from __future__ import annotations

import ctypes

from ._json import loads
from ._library import Text, checked, library
from ._records import embedded, json_bytes, kind_of, names_of, record_of, time_text
from .answers import Diagnostic, Differences, Query
from .errors import TollgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Literal, overload

    from typing_extensions import Unpack

    from .answer_types import (
        Claim,
        ConfigDifferences,
        CoverAnswer,
        DiffAnswer,
        RenderAnswer,
        RenderedPaywall,
        RenderedTemplate,
        UserDifferences,
    )
    from .answers import Requirement
    from .config import Config
    from .option_types import (
        ColumnType,
        Database,
        Document,
        Names,
        Products,
        Profile,
        Record,
        TemplateOptions,
        Time,
    )

_TEMPLATE_OPTIONS = ("dialect", "mode", "html", "select", "profile", "timeZone", "eligible")


class Questions:
    """Methods of :class:`tollgate.Config` that answer questions about it."""

    __slots__ = ()

    if TYPE_CHECKING:
        _pointer: int | None

        @property
        def requirements(self) -> list[Requirement]: ...

    def _ask(self, function: str, request: Mapping[str, Any]) -> Any:
        body, text = json_bytes(request), Text()
        status = getattr(library, function)(self._pointer, body, len(body), ctypes.byref(text))
        return loads(checked(status, text))

    # Texts

    if TYPE_CHECKING:
        # The texts of a paywall, or the text of a template.
        @overload
        def render(
            self,
            paywall: str,
            *,
            user: Record | None = None,
            now: Time | None = None,
        ) -> RenderedPaywall: ...
        @overload
        def render(
            self,
            paywall: None = None,
            *,
            template: str,
            user: Record | None = None,
            products: Products | None = None,
            locale: str | None = None,
            now: Time | None = None,
            **options: Unpack[TemplateOptions],
        ) -> RenderedTemplate: ...

    def render(
        self,
        paywall: str | None = None,
        *,
        template: str | None = None,
        user: Record | None = None,
        products: Products | None = None,
        locale: str | None = None,
        now: Time | None = None,
        **options: Unpack[TemplateOptions],
    ) -> RenderAnswer:
        """Renders a ``template``, or the texts of a ``paywall`` that were loaded with the config.

        Returns ``{"texts": {name: text}, "errors": [..]}`` for a paywall, and
        ``{"text": .., "isComplete": .., "errors": [..]}`` for a template. A template can have the
        ``options`` ``dialect``, ``mode``, ``html``, ``select``, ``profile``, ``timeZone`` and
        ``eligible``.
        """
        for name in options:
            if name not in _TEMPLATE_OPTIONS:
                raise TypeError(
                    f"a template has no option {name!r}; use {', '.join(_TEMPLATE_OPTIONS)}"
                )
        request: dict[str, Any] = dict(options)
        for name, value in (
            ("paywall", paywall), ("template", template), ("products", embedded(products)),
            ("user", record_of(user) if user is not None else None), ("locale", locale),
            ("now", time_text(now)),
        ):
            if value is not None:
                request[name] = value
        found: RenderAnswer = self._ask("tg_render", request)
        return found

    def claims(
        self,
        *,
        paywall: str | None = None,
        products: Products | None = None,
        locales: Sequence[str] | Literal["all"] | None = None,
        profile: Profile | None = None,
        now: Time | None = None,
    ) -> list[Claim]:
        """Checks the claims of the texts that were loaded with the config.

        Checks one ``paywall``, or all paywalls. ``products`` has the prices if the config was
        loaded without prices. ``locales`` format prices and dates, and ``"all"`` means the App
        Store's larger storefronts. A ``verdict`` is ``"true"``, ``"false"``,
        ``"false-if-ineligible"`` (false for users who may no longer have the offer) or
        ``"unknown"``.
        """
        request: dict[str, Any] = {"claims": True}
        for name, value in (
            ("paywall", paywall), ("products", embedded(products)), ("profile", profile),
            ("locales", locales if locales is None or isinstance(locales, str) else list(locales)),
            ("now", time_text(now)),
        ):
            if value is not None:
                request[name] = value
        found: list[Claim] = self._ask("tg_render", request)["claims"]
        return found

    # The config itself

    def check(
        self, *, schema: Document | None = None, now: Time | None = None
    ) -> list[Diagnostic]:
        """Checks the config, as ``tollgate check`` does."""
        request = {"schema": embedded(schema), "now": time_text(now)}
        found = self._ask("tg_check", {k: v for k, v in request.items() if v is not None})
        return [
            Diagnostic(item["severity"], item["code"], item["message"], item.get("path"), item)
            for item in found["diagnostics"]
        ]

    if TYPE_CHECKING:
        # Compares for given users, or for every possible user.
        @overload
        def diff(
            self,
            other: Config,
            *,
            users: Iterable[Record],
            placements: Names | None = None,
            now: Time | None = None,
        ) -> UserDifferences: ...
        @overload
        def diff(
            self,
            other: Config,
            *,
            users: None = None,
            placements: Names | None = None,
            now: Time | None = None,
        ) -> ConfigDifferences: ...

    def diff(
        self,
        other: Config,
        *,
        users: Iterable[Record] | None = None,
        placements: Names | None = None,
        now: Time | None = None,
    ) -> DiffAnswer:
        """Compares with another config, as ``tollgate diff --json`` does.

        With ``users``, the answer says which users move, and why. Without ``users``, it has for
        each placement a proof that no user moves, or an example of a user that moves.
        """
        if not isinstance(other, Questions):
            raise TypeError(f"the other config must be a tollgate.Config, not {kind_of(other)}")
        request: dict[str, Any] = {}
        if users is not None:
            request["users"] = [record_of(user) for user in users]
        if placements is not None:
            request["placements"] = names_of(placements)
        if now is not None:
            request["now"] = time_text(now)
        body, text = json_bytes(request), Text()
        status = library.tg_diff(
            self._pointer, other._pointer, body, len(body), ctypes.byref(text)
        )
        found: Any = Differences(loads(checked(status, text)))
        answer: DiffAnswer = found
        return answer

    def cover(
        self, tests: Iterable[Mapping[str, Any]], *, now: Time | None = None
    ) -> CoverAnswer:
        """Finds audiences, clauses, limits and variants that no test exercises.

        The answer is the same as that of ``tollgate cover --json``.
        """
        request: dict[str, Any] = {"tests": [dict(test) for test in tests]}
        if now is not None:
            request["now"] = time_text(now)
        found: CoverAnswer = self._ask("tg_cover", request)
        return found

    # Queries for databases

    def select(
        self,
        *,
        database: Database,
        table: str = "users",
        placements: Names | None = None,
        subject: str = "userId",
        columns: Mapping[str, str] | None = None,
        separator: str | None = None,
        types: Mapping[str, str] | None = None,
    ) -> str:
        """Writes a query for the columns that rules read, with the types that rules need.

        A plan reads the query's result without further options: its columns are ``userId`` and
        attributes such as ``user.plan``, or structs such as ``user`` for BigQuery and Spark.

        >>> import tollgate
        >>> rule = {"experiment_id": "e", "experiment_group_id": "g", "variants": [],
        ...     "expression_cel": "user.visits > 2"}
        >>> config = tollgate.Config.loads({"build_id": "1", "trigger_options": [
        ...     {"event_name": "export", "rules": [rule]}]})
        >>> print(config.select(database="duckdb", table="app.users", subject="id",
        ...     columns={"user.visits": "visits"}))
        -- The columns that the rules read. NULL means that the attribute is missing.
        SELECT
          CAST("id" AS VARCHAR) AS "userId",
          CAST("visits" AS DOUBLE) AS "user.visits"
        FROM app.users

        :param database: ``bigquery``, ``duckdb``, ``postgres``, ``snowflake`` or ``spark``.
        :param table: the name of the table, as SQL writes it.
        :param placements: names (default: all placements of the config).
        :param subject: the column of user IDs.
        :param columns: the columns of attributes: ``{"user.plan": "plan"}``. Other attributes are
            read from the column with the attribute's name, or from a member of a struct for
            BigQuery and Spark.
        :param separator: the separator in flat names: with ``_``, the attribute ``user.plan`` is
            the column ``user_plan``.
        :param types: types that replace those of the rules, with the names of :meth:`sql` or of
            :class:`tollgate.Requirement`: ``{"user.id": "string"}``, or ``any`` for the type of
            the column.
        :raises ColumnError: if ``columns`` or ``types`` has an attribute that no rule reads.
        """
        from ._select import select

        chosen = self.requirements
        if placements is not None:
            from .plan import Plan

            config: Any = self
            chosen = Plan(config, placements).requirements
        return select(chosen, database, table, subject, columns or {}, separator, types or {})

    def sql(
        self,
        *,
        database: Database,
        table: str = "users",
        names: Literal["dots", "underscores", "structs"] | None = None,
        types: Mapping[str, ColumnType] | None = None,
        placements: Names | None = None,
        no_history: bool = False,
        now: Time | None = None,
        seed: str | None = None,
        sdk_version: str | None = None,
    ) -> Query:
        """Writes the rules in SQL, as ``tollgate sql`` does.

        The query has a row for each user with the outcome of each placement, as a plan decides it
        for users without stored variants. Placements that SQL cannot express are omitted.

        :param database: ``bigquery``, ``duckdb``, ``postgres``, ``snowflake`` or ``spark``.
        :param table: the table of users, as SQL writes it.
        :param names: how columns are named: ``"user.plan"`` (``dots``), ``"user_plan"``
            (``underscores``) or ``"user"."plan"`` (``structs``, default for BigQuery).
        :param types: the types of attributes' columns: ``{"user.ltv": "double"}``.
        :param no_history: whether to write limits and questions about events as for users without
            a history.
        :raises TollgateError: if no placement can be written in SQL; the error has the reasons.
        """
        request: dict[str, Any] = {"database": database, "table": table}
        for name, value in (
            ("names", names), ("types", dict(types) if types is not None else None),
            ("placements", names_of(placements) if placements is not None else None),
            ("noHistory", no_history or None), ("now", time_text(now)), ("seed", seed),
            ("sdkVersion", sdk_version),
        ):
            if value is not None:
                request[name] = value
        found = self._ask("tg_sql", request)
        # The command has this option under another name.
        found["summary"] = found["summary"].replace("--no-history", "no_history=True")
        if found["sql"] is None:
            raise TollgateError(
                f"no placement can be written in SQL for {database}\n{found['summary']}",
                "not_in_sql", found,
            )
        return Query.of(found)

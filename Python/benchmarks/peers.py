"""The same decisions by others: SQL in DuckDB and expressions in Polars, written as one would by
hand, cel-rust (``common-expression-language`` on PyPI) and GrowthBook's SDK.

Each draws variants by a hash of its own, so that which user gets which is different, and how many
do is not. What they came to (``outcomes``) is compared with Tollgate's (``differing``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from zlib import crc32

from conditions import column
from workloads import AUDIENCES, ROOTS, SHARES, Workload, nested, records

FIELDS = ("result", "experiment", "variant", "paywall")
# The number of "no audience" among a placement's outcomes.
_NOTHING = AUDIENCES * len(SHARES)


class DuckDB:
    """SQL over a table with structs, in one thread."""

    name = "DuckDB"

    def __init__(self, workload: Workload, frame: Any) -> None:
        import duckdb

        self._workload = workload
        self.connection = duckdb.connect()
        self.connection.execute("set threads = 1")
        self.connection.register("frame", nested(frame).to_arrow())
        self.connection.execute("create table users as select * from frame")
        self.connection.unregister("frame")

    def _codes(self) -> str:
        """A query for each user's number among the outcomes of each placement."""
        flat = ", ".join(
            f'"{root}".{name} as {column(f"{root}.{name}")}'
            for root, names in ROOTS.items() for name in names
        )
        audiences, codes = [], []
        for number, (placement, conditions) in enumerate(self._workload.audiences.items()):
            chain = " ".join(
                f"when {condition.sql() if condition else 'true'} then {audience}"
                for audience, condition in enumerate(conditions)
            )
            audiences.append(f"case {chain} end as {placement}")
            draw = f"hash(userId, {placement}, {number}) % 100"
            shares = " ".join(
                f"when {draw} < {end} then {variant}"
                for variant, (_, end) in enumerate(SHARES[:-1])
            )
            codes.append(
                f"case when {placement} is null then {_NOTHING} "
                f"else {len(SHARES)} * {placement} + case {shares} else {len(SHARES) - 1} end end "
                f"as {placement}"
            )
        return (
            f"with flat as (select userId, {flat} from users), "
            f"matched as (select userId, {', '.join(audiences)} from flat) "
            f"select {', '.join(codes)} from matched"
        )

    def _texts(self, fields: Sequence[str] = FIELDS) -> str:
        """A query for each user's outcomes, as structs of texts."""
        found = []
        for placement in self._workload.placements:
            outcomes = ", ".join(
                "{" + ", ".join(
                    f"'{field}': " + (f"'{one[field]}'" if one[field] else "null::varchar")
                    for field in fields
                ) + "}"
                for one in self._workload.outcomes(placement)
            )
            found.append(f"[{outcomes}][{placement} + 1] as {placement}")
        return f"select {', '.join(found)} from ({self._codes()})"

    def outcomes(self) -> Any:
        return self.connection.sql(self._texts()).pl()

    def decide(self, fields: Sequence[str] = FIELDS) -> None:
        """From a table to a table."""
        self.connection.execute(f"create table outcomes as {self._texts(fields)}")
        self.connection.execute("drop table outcomes")

    def count(self) -> dict[str, dict[int, int]]:
        sums = ", ".join(f"histogram({name})" for name in self._workload.placements)
        (found,) = self.connection.execute(f"select {sums} from ({self._codes()})").fetchall()
        return dict(zip(self._workload.placements, found, strict=True))


class Polars:
    """Expressions over a frame with structs, in as many threads as Polars was started with."""

    name = "Polars"

    def __init__(self, workload: Workload, frame: Any) -> None:
        self._workload = workload
        self._frame = nested(frame)

    def _codes(self) -> Any:
        import polars as pl

        flat = [
            pl.col(root).struct.field(name).alias(column(f"{root}.{name}"))
            for root, names in ROOTS.items() for name in names
        ]
        audiences, codes = [], []
        for number, (placement, conditions) in enumerate(self._workload.audiences.items()):
            chain = pl.lit(None, dtype=pl.Int32)
            for audience, condition in reversed(list(enumerate(conditions))):
                matches = condition.polars() if condition else pl.lit(True)
                chain = pl.when(matches).then(pl.lit(audience, dtype=pl.Int32)).otherwise(chain)
            audiences.append(chain.alias(placement))
            draw = (pl.col("userId").hash(number) + pl.col(placement).cast(pl.UInt64) * 7919) % 100
            variant = pl.lit(len(SHARES) - 1, dtype=pl.Int32)
            for place, (_, end) in reversed(list(enumerate(SHARES[:-1]))):
                variant = pl.when(draw < end).then(pl.lit(place, dtype=pl.Int32)).otherwise(variant)
            code = pl.col(placement) * len(SHARES) + variant
            codes.append(code.fill_null(_NOTHING).alias(placement))
        return self._frame.lazy().select("userId", *flat).select("userId", *audiences).select(codes)

    def _texts(self) -> Any:
        import polars as pl

        return self._codes().select(
            pl.struct(
                pl.lit(pl.Series([one[field] for one in self._workload.outcomes(placement)]))
                .gather(placement).alias(field)
                for field in FIELDS
            ).alias(placement)
            for placement in self._workload.placements
        )

    def outcomes(self) -> Any:
        return self.decide()

    def decide(self) -> Any:
        """From a frame to a frame."""
        return self._texts().collect()

    def count(self) -> dict[str, dict[int, int]]:
        codes = self._codes().collect()
        return {name: dict(codes[name].value_counts().rows()) for name in codes.columns}


class Rows:
    """A user at a time, from dictionaries."""

    name = ""

    def __init__(self, workload: Workload, frame: Any) -> None:
        self._workload = workload
        self.records = records(frame)
        self.one = self.prepare()

    def prepare(self) -> Callable[[dict[str, Any], Sequence[str]], list[Any]]:
        """A function of a user and the placements, whose answers are ``_texts`` of outcomes."""
        raise NotImplementedError

    def outcomes(self) -> Any:
        import polars as pl

        names = self._workload.placements
        found = [self.one(record, names) for record in self.records]
        kind = pl.Struct({field: pl.String for field in FIELDS})
        columns = dict(zip(names, zip(*found, strict=True), strict=True))
        return pl.DataFrame(columns, schema=dict.fromkeys(names, kind))

    def decide(self) -> None:
        for record in self.records:
            self.one(record, self._workload.placements)


class CEL(Rows):
    """cel-rust: a program for each condition, a context for each user."""

    name = "cel"

    def prepare(self) -> Callable[[dict[str, Any], Sequence[str]], list[Any]]:
        import cel

        programs = {
            placement: [
                (cel.compile(condition.cel()) if condition else None, 3 * audience)
                for audience, condition in enumerate(conditions)
            ]
            for placement, conditions in self._workload.audiences.items()
        }
        outcomes = {name: self._workload.outcomes(name) for name in self._workload.placements}

        def matches(program: Any, context: Any) -> bool:
            try:
                return program.execute(context) is True
            except Exception:  # An attribute that is missing, which is an error of several kinds.
                return False

        def decided(record: dict[str, Any], placements: Sequence[str]) -> list[Any]:
            context = cel.Context(
                variables={"user": record.get("user", {}), "device": record.get("device", {})})
            found = []
            for placement in placements:
                code = _NOTHING
                for program, first in programs[placement]:
                    if program is None or matches(program, context):
                        draw = crc32(f"{placement}{first}{record['userId']}".encode()) % 100
                        code = first + (0 if draw < 45 else 1 if draw < 90 else 2)
                        break
                found.append(outcomes[placement][code])
            return found

        return decided


class GrowthBook(Rows):
    """GrowthBook's SDK: a feature for each placement, an experiment for each audience."""

    name = "GrowthBook"

    def prepare(self) -> Callable[[dict[str, Any], Sequence[str]], list[Any]]:
        from growthbook import GrowthBook as SDK

        sdk = SDK(features=growthbook_features(self._workload))
        nothing = {name: self._workload.outcomes(name)[-1] for name in self._workload.placements}

        def decided(record: dict[str, Any], placements: Sequence[str]) -> list[Any]:
            sdk.set_attributes({"id": record["userId"], **record})
            return [sdk.eval_feature(name).value or nothing[name] for name in placements]

        return decided


def growthbook_features(workload: Workload) -> dict[str, Any]:
    weights = [
        (end - before) / 100
        for (_, end), before in zip(SHARES, (0, *(end for _, end in SHARES)), strict=False)
    ]
    features: dict[str, Any] = {}
    for placement, conditions in workload.audiences.items():
        outcomes, rules = workload.outcomes(placement), []
        for audience, condition in enumerate(conditions):
            rule: dict[str, Any] = {
                "key": workload.experiment(placement, audience), "hashAttribute": "id",
                "hashVersion": 2, "weights": weights,
                "variations": outcomes[3 * audience:3 * audience + 3],
            }
            if condition:
                rule["condition"] = condition.growthbook()
            rules.append(rule)
        features[placement] = {"defaultValue": None, "rules": rules}
    return features


def differing(ours: Any, theirs: Any) -> int:
    """How many users another audience took at one of the placements, or none."""
    import polars as pl

    def audiences(frame: Any) -> Any:
        return frame.select(pl.all().struct.field("experiment").name.keep())

    pairs = zip(audiences(ours), audiences(theirs), strict=True)
    return int(sum((one.ne_missing(other).cast(pl.Int64) for one, other in pairs)).ge(1).sum())


def crooked_shares(outcomes: Any) -> list[str]:
    """The placements whose variants have other shares than chance gives them."""
    import polars as pl

    found = []
    for name in outcomes.columns:
        variants = outcomes[name].struct.field("variant").drop_nulls()
        begin = 0
        for variant, end in SHARES:
            share = (end - begin) / 100
            begin = end
            chance = 6 * (len(variants) * share * (1 - share)) ** 0.5
            have = variants.str.ends_with(f"-{variant}").cast(pl.Int64).sum()
            if abs(have - len(variants) * share) > chance:
                found.append(name)
                break
    return found

"""Counts of users by outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ._field_names import FIELDS, fields
from .config import Config
from .errors import RecordError, TableError

_MOST_REJECTS = 20


def count_records(
    config: Config, records: Iterator[tuple[int, dict[str, Any] | Exception]],
    placements: list[str] | None, now: str | None, seed: str | None,
) -> dict[str, Any]:
    """Counts outcomes of records. An exception instead of a record is reported as rejected."""
    # The plan has one time for all users, and rejects unknown placements before the first user.
    plan = config.plan(placements, now=now)
    counts: dict[str, Counter[tuple[Any, ...]]] = {name: Counter() for name in plan.placements}
    users = 0
    rejects: list[dict[str, Any]] = []
    rejected = 0
    for number, record in records:
        try:
            if isinstance(record, Exception):
                raise RecordError(str(record), "not_json", {})
            decided = config.decide_all(
                record, placements=plan.placements, now=plan.now, seed=seed
            )
        except RecordError as problem:
            rejected += 1
            if len(rejects) < _MOST_REJECTS:
                rejects.append({"record": number, "reason": str(problem)})
            continue
        users += 1
        for one in decided:
            counts[one.placement][tuple(fields(one).values())] += 1
    return _summary(plan.now, users, rejected, rejects, counts)


def _parquet(path: Path, name: str) -> Any:
    """Opens a Parquet file."""
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ImportError("Parquet needs pyarrow: pip install 'tollgate-rules[parquet]'") from None
    try:
        return parquet.ParquetFile(path)
    except (OSError, ValueError) as problem:
        raise TableError(f"{name} cannot be read as Parquet: {problem}", "bad_array", {}) from None


def parquet_records(path: Path, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Reads rows of a Parquet file as records. NULL means missing, and dots separate members."""
    number = 0
    for batch in _parquet(path, name).iter_batches(batch_size=8_192):
        for row in batch.to_pylist():
            number += 1
            record: dict[str, Any] = {}
            for column, value in row.items():
                if value is None:
                    continue
                *above, last = column.split(".")
                place = record
                for part in above:
                    place = place.setdefault(part, {})
                    if not isinstance(place, dict):
                        raise TableError(
                            f"{name}: column '{column}' is below a column that is not a struct",
                            "bad_column", {"column": column},
                        )
                place[last] = _without_null(value)
            yield number, record


def _without_null(value: Any) -> Any:
    """Returns a struct without members that are NULL. NULL elements of lists stay."""
    if isinstance(value, dict):
        return {name: _without_null(part) for name, part in value.items() if part is not None}
    return [_without_null(part) for part in value] if isinstance(value, list) else value


def count_table(
    config: Config, path: Path, name: str, placements: list[str] | None, now: str | None,
    seed: str | None, options: Mapping[str, Any],
) -> dict[str, Any]:
    file = _parquet(path, name)
    import pyarrow

    given: Any = options
    plan = config.plan(placements, now=now, seed=seed, codes=True, **given)
    reader = pyarrow.RecordBatchReader.from_batches(
        file.schema_arrow, file.iter_batches(batch_size=8_192)
    )
    outcomes = plan.outcomes(reader)
    numbers: dict[str, Counter[int | None]] = {name: Counter() for name in plan.placements}
    for batch in pyarrow.RecordBatchReader.from_stream(outcomes):
        for name in plan.placements:
            for pair in batch.column(name).value_counts().to_pylist():
                numbers[name][pair["values"]] += pair["counts"]
    choices = [tuple(one.get(name) for name in FIELDS) for one in plan.choices]
    counts: dict[str, Counter[tuple[Any, ...]]] = {
        name: Counter(
            {choices[code]: count for code, count in found.items() if code is not None}
        )
        for name, found in numbers.items()
    }
    report = outcomes.report
    rejects = [
        {"record": row["row"] + 1, "reason": row["reason"]}
        for row in report.rejects[:_MOST_REJECTS]
    ]
    return _summary(plan.now, report.users, report.rejected, rejects, counts)


def _summary(
    now: str, users: int, rejected: int, rejects: list[dict[str, Any]],
    counts: dict[str, Counter[tuple[Any, ...]]],
) -> dict[str, Any]:
    return {
        "now": now, "users": users, "rejected": rejected, "rejects": rejects,
        "placements": {
            name: [
                {**dict(zip(FIELDS, choice, strict=True)), "users": count}
                for choice, count in found.most_common()
            ]
            for name, found in counts.items()
        },
    }

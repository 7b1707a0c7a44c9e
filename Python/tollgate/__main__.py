"""Runs ``python -m tollgate decide CONFIG --users 'users/*.parquet' --out outcomes.parquet``."""

from __future__ import annotations

import argparse
import errno
import glob
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._field_names import FIELDS
from .config import Config
from .errors import TollgateError
from .outcomes import Tally
from .plan import Plan

if TYPE_CHECKING:
    from typing import IO


# The key of a run's settings in the metadata of its schema.
_KEY = b"tollgate"
# The suffix of files that --out names.
_SUFFIXES = (".parquet", ".pq")
_OTHER_SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".sqlite", ".db", ".arrow", ".gz")


class _Usage(Exception):
    """An error in the arguments."""


class _Unreadable(Exception):
    """An error in a file."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command. Returns its exit code: 1 for bad input, 2 for bad usage, 130 for Ctrl-C."""
    options = _parser().parse_args(arguments)
    try:
        return _decide(options)
    except _Usage as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    except (TollgateError, _Unreadable, OSError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. Complete files remain; --resume continues.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    from . import __version__

    parser = argparse.ArgumentParser(
        prog="python -m tollgate", description="Decide placements.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"tollgate {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    decide = commands.add_parser(
        "decide", help="decide for the users of Parquet files", allow_abbrev=False,
        description="Decides for every user of Parquet files, and writes the outcomes as Parquet.",
    )
    decide.add_argument("config", metavar="CONFIG", help="the config file (JSON)")
    decide.add_argument(
        "--users", required=True, action="append", metavar="FILES",
        help="Parquet files with users, or a pattern such as 'users/*.parquet'; repeatable",
    )
    decide.add_argument(
        "--out", required=True, metavar="PATH",
        help="a folder, or a file whose name ends with .parquet for one file of users",
    )
    decide.add_argument("--now", metavar="TIME", help="the time to decide at (default: now)")
    decide.add_argument("--seed", default="", help="the salt of the assignment hash")
    decide.add_argument(
        "--placements", metavar="NAMES", help="comma-separated names (default: all)"
    )
    decide.add_argument(
        "--reasons", action="store_true", help="add a JSON column with the reason for each outcome"
    )
    decide.add_argument("--dialect", default="superscript:ios", help="the language of the rules")
    decide.add_argument("--subject", default="userId", help="the column with the user IDs")
    decide.add_argument(
        "--root", choices=["user", "device"], help="the root of the columns' attributes"
    )
    decide.add_argument(
        "--columns", action="append", default=[], metavar="PATH=COLUMN",
        help="the column of an attribute, such as user.plan=plan",
    )
    decide.add_argument(
        "--separator", metavar="TEXT",
        help="the separator in flat names: with _ the column user_plan is the attribute user.plan",
    )
    decide.add_argument(
        "--decimals", choices=["double", "text"], help="convert decimals, which rules cannot read"
    )
    decide.add_argument(
        "--dates", choices=["text", "timestamp"], help="convert dates, which rules cannot read"
    )
    decide.add_argument(
        "--naive-times", metavar="ZONE", help="the time zone of timestamps without one"
    )
    decide.add_argument(
        "--ignore-missing", action="store_true",
        help="decide even if rules read attributes without a column",
    )
    decide.add_argument(
        "--resume", action="store_true", help="skip files whose outcomes are complete"
    )
    decide.add_argument("--quiet", action="store_true", help="print no progress")
    return parser


def _decide(options: argparse.Namespace) -> int:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise _Usage("Parquet needs pyarrow: pip install 'tollgate-rules[parquet]'") from None
    files = _files(options.users)
    pairs = _outputs(files, options.out)
    into_folder = pairs[0][1] != Path(options.out)
    _check_targets([target for _, target in pairs], [Path(options.config), *files], into_folder)
    text = Path(options.config).read_bytes()
    try:
        config = Config(text, dialect=options.dialect, seed=options.seed)
    except TollgateError:
        raise
    except ValueError as problem:
        raise _Usage(f"--{problem}") from None
    if not config.placements:
        raise _Usage(f"{options.config} has no placements")
    if options.resume and options.now is None:
        options.now = _time_of_before(target for _, target in pairs)
    for found in config.diagnostics:
        if found.severity == "error":
            print(found, file=sys.stderr)
    try:
        plan = config.plan(
            options.placements.split(",") if options.placements else None,
            now=options.now,
            fields=[*FIELDS, "reason"] if options.reasons else FIELDS,
            subject=options.subject, root=options.root, columns=_columns(options.columns),
            missing_columns="ignore" if options.ignore_missing else "error",
            texts="dictionary", **_shape(options),
        )
    except TollgateError as problem:
        raise _Usage(str(problem)) from None
    except ValueError as problem:
        raise _Usage(f"--{problem}".replace("naive_times", "naive-times")) from None
    run = _Run(plan, options, _basis(text, plan, options))
    if into_folder:
        Path(options.out).mkdir(parents=True, exist_ok=True)
    for number, (source, target) in enumerate(pairs):
        run.file(source, target, f"{number + 1} of {len(pairs)}")
    print(json.dumps(run.summary(), indent=2, ensure_ascii=False))
    return 0


def _shape(options: argparse.Namespace) -> dict[str, Any]:
    """The options for flat names and types that rules cannot read."""
    return {
        name: getattr(options, name) for name in ("separator", "decimals", "dates", "naive_times")
    }


def _basis(text: bytes, plan: Plan, options: argparse.Namespace) -> dict[str, Any]:
    """Returns everything that outcomes depend on except the users, as stored in outcome files."""
    return {
        "config": hashlib.sha256(text).hexdigest(), "dialect": options.dialect,
        "seed": options.seed, "now": plan.now, "placements": plan.placements,
        "subject": options.subject, "root": options.root, "columns": sorted(options.columns),
        "ignoreMissing": options.ignore_missing, "reasons": options.reasons, **_shape(options),
    }


def _basis_of(target: Path) -> dict[str, Any]:
    """Returns the settings stored in an outcome file, or none for files of other programs."""
    import pyarrow.parquet as parquet

    try:
        said = (parquet.read_schema(target).metadata or {}).get(_KEY)
        found = json.loads(said) if said else {}
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _time_of_before(targets: Iterable[Path]) -> str | None:
    """Returns the time of an earlier run's decisions, so all files have the same time."""
    for target in targets:
        if target.exists() and isinstance(now := _basis_of(target).get("now"), str):
            return now
    return None


def _files(patterns: Sequence[str]) -> list[Path]:
    found: list[Path] = []
    for pattern in patterns:
        # The name of an existing file can contain brackets, although it looks like a pattern.
        names = [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern, recursive=True))
        if not names:
            raise _Usage(f"--users {pattern}: there is no such file")
        for name in names:
            path = Path(name)
            if path.is_dir():
                raise _Usage(f"--users {name} is a folder; give '{name}/*.parquet'")
            if not path.is_file():
                # Opening a pipe would wait for its writer.
                raise _Usage(f"--users {name} is not a file; Parquet is read from its end")
            if path not in found:
                found.append(path)
    return found


def _outputs(files: Sequence[Path], out: str) -> list[tuple[Path, Path]]:
    if not out:
        raise _Usage("--out is empty; name a file, or a folder for several files of users")
    target = Path(out)
    # The form of --out decides, because a pattern can match one file today and several tomorrow.
    if not target.exists() and out.lower().endswith(_OTHER_SUFFIXES):
        raise _Usage(
            f"--out {out}: outcomes are Parquet; name a folder, or a file that ends with .parquet"
        )
    is_file = not target.is_dir() and (target.exists() or out.lower().endswith(_SUFFIXES))
    if is_file and len(files) == 1:
        return [(files[0], target)]
    if is_file:
        raise _Usage(
            f"--out {out} is a file, and there are {len(files)} files of users; name a folder"
        )
    names = [path.name for path in files]
    for name in names:
        if names.count(name) > 1:
            raise _Usage(f"two files of users are called {name}; decide their folders one by one")
    for path in files:
        if target.exists() and path.parent.resolve() == target.resolve():
            raise _Usage(f"--out {out} is the folder of the users themselves")
    return [(path, target / path.name) for path in files]


def _check_targets(
    targets: Sequence[Path], inputs: Sequence[Path], into_folder: bool
) -> None:
    """Checks that the output replaces only files, and no input."""

    def identity(path: Path) -> tuple[int, int]:
        found = path.stat()
        return found.st_dev, found.st_ino

    read = {identity(path): path for path in inputs if path.exists()}
    for target in targets:
        if not into_folder and not target.parent.is_dir():
            raise _Usage(f"--out {target}: there is no folder {target.parent}")
        if not target.exists():
            continue
        if not target.is_file():
            raise _Usage(f"--out {target} is not a file; Parquet needs a file that can be replaced")
        if identity(target) in read:
            raise _Usage(f"--out {target} is an input itself: {read[identity(target)]}")


def _users_of(source: Path) -> dict[str, int]:
    """Returns the size and time that identify a version of a users file."""
    found = source.stat()
    return {"bytes": found.st_size, "modified": found.st_mtime_ns}


def _columns(given: Sequence[str]) -> dict[str, str] | None:
    columns: dict[str, str] = {}
    for item in given:
        path, separator, column = item.partition("=")
        if not separator or not path or not column:
            raise _Usage(f"--columns {item}: give PATH=COLUMN, such as user.plan=plan")
        columns[path] = column
    return columns or None


def _lock(file: IO[bytes]) -> None:
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        # Mounted storage may have no locks. The user must then start only one run.
        if problem.errno not in (errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK):
            raise


class _Output:
    """A file that appears only when it is complete. Only one run at a time can write the file."""

    def __init__(self, target: Path) -> None:
        # Writing to a symbolic link replaces its target, and the link stays.
        self._target = Path(os.path.realpath(target))
        # The partial file is in the same folder, so it can be moved, and its name shows its state.
        self._partial = self._target.with_name(self._target.name + ".partial")
        self.file = self._locked()

    def _locked(self) -> IO[bytes]:
        while True:
            file = open(os.open(self._partial, os.O_RDWR | os.O_CREAT, 0o666), "r+b")  # noqa: SIM115
            try:
                _lock(file)
                # Before this run got the lock, another run may have moved or removed the file.
                if os.path.samestat(os.fstat(file.fileno()), os.stat(self._partial)):
                    file.truncate(0)
                    return file
            except FileNotFoundError:
                pass
            except BlockingIOError:
                file.close()
                raise _Usage(
                    f"--out {self._target} is being written by another run, into {self._partial}"
                ) from None
            file.close()

    def complete(self) -> None:
        self.file.flush()
        os.fsync(self.file.fileno())
        os.replace(self._partial, self._target)

    def __enter__(self) -> _Output:
        return self

    def __exit__(self, kind: object, problem: object, trace: object) -> None:
        if kind is not None:
            self._partial.unlink(missing_ok=True)
        self.file.close()


class _Run:
    """Files that are decided one after the other."""

    def __init__(self, plan: Plan, options: argparse.Namespace, basis: dict[str, Any]) -> None:
        self._plan = plan
        self._options = options
        self._basis = basis
        self._users = self._rejected = self._resumed = 0
        self._placements: dict[str, dict[str, int]] = {}

    def file(self, source: Path, target: Path, place: str) -> None:
        users = _users_of(source)
        if self._options.resume and target.exists():
            before = _basis_of(target)
            other = [name for name in self._basis if before.get(name) != self._basis[name]]
            if other:
                raise _Usage(
                    f"--resume: {target} was decided with another {', '.join(other)}; "
                    "remove it, or name another --out"
                )
            if before.get("users") == users:
                self._resumed += 1
                self._say(f"{place}: {source}: already complete")
                return
            self._say(f"{place}: {source}: the users have changed, deciding again")
        with _Output(target) as output:
            tally = self._write(source, output.file, place, users)
            output.complete()
        self._add(tally)

    def _write(self, source: Path, output: IO[bytes], place: str, users: dict[str, int]) -> Tally:
        import pyarrow
        import pyarrow.parquet as parquet

        try:
            file = parquet.ParquetFile(source)
        except (OSError, ValueError) as problem:
            raise _Unreadable(f"{source} cannot be read as Parquet: {problem}") from None
        rows = file.metadata.num_rows
        subject = self._options.subject
        if subject not in file.schema_arrow.names:
            raise _Usage(
                f"{source} has no column '{subject}'; --subject names the users' identities: "
                + ", ".join(file.schema_arrow.names[:8])
            )
        kept: list[Any] = []
        faults: list[BaseException] = []

        def batches() -> Any:
            try:
                for batch in file.iter_batches(batch_size=8_192):
                    if batch.num_rows == 0:
                        continue
                    kept.append(batch.column(batch.schema.get_field_index(subject)))
                    yield batch
            except (OSError, ValueError, KeyboardInterrupt) as problem:
                # Arrow reports an error with a traceback.
                faults.append(problem)
                raise

        reader = pyarrow.RecordBatchReader.from_batches(file.schema_arrow, batches())
        outcomes = self._plan.outcomes(reader)
        writer: Any = None
        told = {_KEY: json.dumps({**self._basis, "users": users}).encode()}
        done, begin = 0, time.monotonic()
        try:
            for batch in pyarrow.RecordBatchReader.from_stream(outcomes):
                subjects = kept.pop(0)
                flat = pyarrow.Table.from_batches([batch]).flatten()
                table = flat.add_column(0, subject, [subjects])
                table = table.replace_schema_metadata(told)
                if writer is None:
                    writer = parquet.ParquetWriter(output, table.schema, compression="zstd")
                writer.write_table(table)
                done += batch.num_rows
                self._progress(f"{place}: {source}: {done:,} of {rows:,} users", begin)
            if writer is None:
                empty = pyarrow.RecordBatchReader.from_stream(
                    self._plan.outcomes(file.schema_arrow.empty_table())
                ).read_all().flatten()
                kind = file.schema_arrow.field(subject).type
                table = empty.add_column(0, subject, [pyarrow.array([], kind)])
                table = table.replace_schema_metadata(told)
                writer = parquet.ParquetWriter(output, table.schema, compression="zstd")
        except (OSError, ValueError, TollgateError) as problem:
            if faults and isinstance(faults[0], KeyboardInterrupt):
                raise KeyboardInterrupt from None
            if faults:
                raise _Unreadable(f"{source} cannot be read to its end: {faults[0]}") from None
            if isinstance(problem, (OSError, TollgateError)):
                raise
            raise _Unreadable(f"{source}: {problem}") from None
        finally:
            if writer is not None:
                writer.close()
        self._say(f"{place}: {source}: {done:,} users")
        return outcomes.report

    def _add(self, tally: Tally) -> None:
        self._users += tally.users
        self._rejected += tally.rejected
        for row in tally.rejects[:5]:
            self._say(f"  row {row['row']}: {row['reason']}")
        for name in tally.to_dict()["placements"]:
            counts = self._placements.setdefault(name, {})
            for outcome, count in tally.outcomes(name).items():
                counts[outcome] = counts.get(outcome, 0) + count

    def summary(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "users": self._users, "rejected": self._rejected, "now": self._plan.now,
            "placements": self._placements,
        }
        if self._resumed:
            found["filesLeftOut"] = self._resumed
        return found

    def _say(self, line: str) -> None:
        if not self._options.quiet:
            end = "\033[K\n" if sys.stderr.isatty() else "\n"
            print(line, file=sys.stderr, end=end)

    def _progress(self, line: str, begin: float) -> None:
        if not self._options.quiet and sys.stderr.isatty() and time.monotonic() - begin > 0.5:
            print(line + "\033[K", file=sys.stderr, end="\r", flush=True)


if __name__ == "__main__":
    sys.exit(main())

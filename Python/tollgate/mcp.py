"""A Model Context Protocol server for assistants that check, decide and explain.

``tollgate-mcp FOLDER`` uses standard input and output, and ``tollgate-mcp FOLDER --http`` uses
HTTP. The server reads files only below the folder, and writes only with ``--write``.
"""

from __future__ import annotations

import argparse
import json
import os
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations
    from pydantic import Field
except ImportError as problem:
    raise ImportError(f"{problem}; install it with pip install 'tollgate-rules[mcp]'") from None

from . import __version__
from ._counting import count_records, count_table, parquet_records
from ._field_names import fields
from ._mcp_arguments import check_arguments, meant
from ._records import json_bytes
from .answers import Diagnostic
from .config import Config
from .errors import ConfigError, TollgateError

Document = Annotated[
    str | dict[str, Any],
    Field(
        description="a config: the name of a file below the server's folder, or the config itself"
    ),
]
Record = Annotated[
    dict[str, Any],
    Field(
        description="a user record such as "
        '{"userId": "u-1", "user": {"plan": "free"}, "device": {"locale": "de_DE"}}'
    ),
]
Records = Annotated[
    str | list[dict[str, Any]],
    Field(
        description="users: the name of a file with one JSON record on each line, or of a Parquet "
        "file, below the server's folder; or a list of records"
    ),
]
Names = Annotated[
    list[str] | None, Field(description="names of placements (default: all)")
]
Now = Annotated[
    str | None,
    Field(description="the time to decide at, such as 2026-03-01T12:00:00Z (default: now)"),
]
Seed = Annotated[str | None, Field(description="the salt of the assignment hash")]

# Keys that only configs have, among all files that Tollgate reads.
_CONFIG_MEMBERS = frozenset(("trigger_options", "campaigns"))
# The largest number of files in one list.
_MOST_FILES = 1_000
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Tools:
    """The tools that assistants use, for the files of one folder."""

    def __init__(self, folder: Path, dialect: str = "superscript:ios", seed: str = "") -> None:
        self._folder = folder.resolve()
        self._dialect: Any = dialect
        self._seed = seed

    # Tools

    def files(self) -> dict[str, Any]:
        """Lists the files that other tools take: configs, users, tests and products."""
        found = self._files()
        return {"files": found[:_MOST_FILES], "more": max(0, len(found) - _MOST_FILES)}

    def describe(self, config: Document) -> dict[str, Any]:
        """Lists the placements and paywalls of a config, and the attributes that its rules read."""
        found = self._config(config)
        return {
            "format": found.format, "placements": found.placements, "paywalls": found.paywalls,
            "requirements": found.requirements, "events": found.events,
        }

    def check(self, config: Document, now: Now = None) -> dict[str, Any]:
        """Checks a config and returns findings with their places."""
        try:
            found = [_finding(item) for item in self._config(config).check(now=now)]
        except ConfigError as problem:
            found = problem.diagnostics or [
                {"severity": "error", "code": problem.code, "message": str(problem)}
            ]
        counts = Counter(item["severity"] for item in found)
        return {
            "diagnostics": found,
            "counts": {kind: counts[kind] for kind in ("error", "warning", "note")},
        }

    def decide(
        self, config: Document, user: Record, placements: Names = None, now: Now = None,
        seed: Seed = None,
    ) -> dict[str, Any]:
        """Decides placements for a user: a paywall and its variant, a holdout, or nothing."""
        decided = self._config(config).decide_all(user, placements=placements, now=now, seed=seed)
        return {
            "decisions": [
                {"placement": one.placement, **fields(one), "errors": list(one.errors)}
                for one in decided
            ]
        }

    def explain(
        self,
        config: Document,
        user: Record,
        placement: str,
        audience: Annotated[
            int | str | None,
            Field(
                description="number, ID, experiment or name of one audience to explain, with "
                "'changes', the smallest change after which it takes the user"
            ),
        ] = None,
        set: Annotated[
            dict[str, Any] | None,
            Field(description='other values to try: {"user.plan": "pro"}'),
        ] = None,
        now: Now = None,
        seed: Seed = None,
    ) -> dict[str, Any]:
        """Explains a decision clause by clause, with the values that it read."""
        found = self._config(config).explain(
            placement, user, audience=audience, set=set, now=now, seed=seed
        )
        return {"text": str(found), "explanation": found.to_dict(), "changes": found.changes}

    def diff(
        self, old: Document, new: Document, users: Records | None = None, placements: Names = None,
        now: Now = None,
    ) -> dict[str, Any]:
        """Compares two configs.

        With users, the answer says which users move, and why. Without users, it has for each
        placement a proof that no user moves, or an example of a user that moves.
        """
        records = None if users is None else [record for _, record in self._records(users)]
        found = self._config(old).diff(
            self._config(new), users=records, placements=placements, now=now
        )
        return {**found}

    def cover(
        self,
        config: Document,
        tests: Annotated[
            str | list[dict[str, Any]],
            Field(
                description="tests for `tollgate test`: a file with a test on each line, or a list"
            ),
        ],
        now: Now = None,
    ) -> dict[str, Any]:
        """Finds audiences, clauses and variants of a config that no test exercises."""
        found = self._config(config).cover(
            [record for _, record in self._records(tests)], now=now
        )
        return {**found}

    def render(
        self,
        template: Annotated[str, Field(description="Only {{ products.selected.price }}")],
        products: Annotated[
            str | list[dict[str, Any]] | dict[str, Any] | None,
            Field(description="the products with their prices: a file below the folder, or a list"),
        ] = None,
        user: Record | None = None,
        locale: Annotated[str | None, Field(description="such as de_DE")] = None,
        now: Now = None,
    ) -> dict[str, Any]:
        """Renders a paywall's template, and returns text, whether it is complete, and errors."""
        given: Any = products
        if isinstance(products, str):
            given = self._path(products).read_text(encoding="utf-8")
        empty = Config.loads({"build_id": "0", "trigger_options": []}, dialect=self._dialect)
        found = empty.render(
            template=template, products=given, user=user, locale=locale, now=now
        )
        return {**found}

    def precompute_summary(
        self, config: Document, users: Records, placements: Names = None, now: Now = None,
        seed: Seed = None,
        subject: Annotated[
            str | None, Field(description="the column of user IDs (default: userId)")
        ] = None,
        separator: Annotated[
            str | None,
            Field(description="the separator in flat names: with _ column user_plan is user.plan"),
        ] = None,
        decimals: Annotated[
            Literal["double", "text"] | None, Field(description="the type to convert decimals to")
        ] = None,
        dates: Annotated[
            Literal["text", "timestamp"] | None, Field(description="the type to convert dates to")
        ] = None,
        naive_times: Annotated[
            str | None, Field(description="the time zone of timestamps without one, such as UTC")
        ] = None,
        missing_columns: Annotated[
            Literal["error", "ignore"] | None,
            Field(description="attributes that rules read and no column has (default: error)"),
        ] = None,
    ) -> dict[str, Any]:
        """Counts the outcomes of many users at each placement, most frequent first.

        Options about columns are for Parquet files.
        """
        made = self._config(config)
        options = {
            name: value for name, value in (
                ("subject", subject), ("separator", separator), ("decimals", decimals),
                ("dates", dates), ("naive_times", naive_times),
                ("missing_columns", missing_columns),
            ) if value is not None
        }
        if isinstance(users, str) and _is_parquet(users):
            path = self._path(users)
            return count_table(made, path, users, placements, now, seed, options)
        if options:
            raise ToolError(f"'{next(iter(options))}' is for users in a Parquet file")
        return count_records(made, self._lines(users), placements, now, seed)

    def save_config(
        self,
        path: Annotated[str, Field(description="a file below the server's folder")],
        config: Annotated[dict[str, Any], Field(description="the whole config")],
    ) -> dict[str, Any]:
        """Writes a config to a file if it has no errors, and returns the findings."""
        target = self._within(path)
        mode = 0o644
        if target.exists():
            self._refuse_others(path, target)
            mode = stat.S_IMODE(target.stat().st_mode)
        made = Config.loads(config, dialect=self._dialect, strict=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        # Readers see either the old or the new file, never a part.
        handle, partial = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(config, file, indent=2, ensure_ascii=False)
                file.write("\n")
            os.chmod(partial, mode)
            os.replace(partial, target)
        except BaseException:
            Path(partial).unlink(missing_ok=True)
            raise
        return {
            "path": path, "placements": made.placements,
            "diagnostics": [_finding(item) for item in made.check()],
        }

    # Arguments of the tools

    def _refuse_others(self, name: str, path: Path) -> None:
        """Rejects replacing a file that is not a config, such as a file of users."""
        try:
            known = json.loads(path.read_bytes()) if path.is_file() else None
        except (ValueError, RecursionError):
            known = None
        if not isinstance(known, dict) or _CONFIG_MEMBERS.isdisjoint(known):
            raise ToolError(f"'{name}' exists and is not a config; name another file")

    def _within(self, name: str) -> Path:
        try:
            path = (self._folder / name).resolve()
            path.exists()
        except (OSError, ValueError):
            raise ToolError(f"{name[:80]!r} is not the name of a file") from None
        if not path.is_relative_to(self._folder) or path == self._folder:
            raise ToolError(f"'{name}' is not below the folder that this server was started with")
        return path

    def _path(self, name: str) -> Path:
        path = self._within(name)
        if not path.is_file():
            there = self._files()
            others = f" and {len(there) - 20} more" if len(there) > 20 else ""
            raise ToolError(
                f"there is no file '{name}'{meant(name, there)}; the folder has "
                f"{', '.join(there[:20]) or 'no files'}{others}"
            )
        return path

    def _files(self) -> list[str]:
        """Returns the folder's files, without hidden files and links to other folders."""
        found: list[str] = []
        for place, folders, names in os.walk(self._folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                path = Path(place, name)
                if not name.startswith(".") and path.resolve().is_relative_to(self._folder):
                    if path.is_file():
                        found.append(path.relative_to(self._folder).as_posix())
        return sorted(found)

    def _config(self, config: str | dict[str, Any]) -> Config:
        text: str | bytes | dict[str, Any] = config
        if isinstance(config, str):
            text = self._path(config).read_bytes()
        return Config.loads(text, dialect=self._dialect, seed=self._seed)

    def _records(
        self, given: str | list[dict[str, Any]]
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, record in self._lines(given):
            if isinstance(record, Exception):
                raise record
            yield number, record

    def _lines(
        self, given: str | list[dict[str, Any]]
    ) -> Iterator[tuple[int, dict[str, Any] | ToolError]]:
        """Returns the record of each line, or the error in that line."""
        if not isinstance(given, str):
            yield from enumerate(given, 1)
            return
        if _is_parquet(given):
            yield from parquet_records(self._path(given), given)
            return
        with self._path(given).open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    record = json.loads(line.decode())
                except UnicodeDecodeError:
                    yield number, ToolError(f"{given}:{number} is not UTF-8")
                    continue
                except (ValueError, RecursionError) as problem:
                    yield number, ToolError(f"{given}:{number} is not JSON: {problem}")
                    continue
                if not isinstance(record, dict):
                    yield number, ToolError(f"{given}:{number} is not an object")
                    continue
                if type(record.get("userId")) is int:
                    yield number, ToolError(f"{given}:{number}: 'userId' must be a string")
                    continue
                yield number, record


def _is_parquet(name: str) -> bool:
    return name.lower().endswith((".parquet", ".pq"))


class _Server(MCPServer[Any]):
    """Rejects arguments that a tool does not have, which the base class ignores."""

    async def list_tools(self) -> list[Any]:
        tools: list[Any] = await super().list_tools()
        for tool in tools:
            tool.input_schema["additionalProperties"] = False
        return tools

    async def call_tool(self, name: str, arguments: dict[str, Any], *rest: Any) -> Any:
        for tool in await self.list_tools():
            if tool.name == name:
                check_arguments(name, arguments, tool.input_schema)
        return await super().call_tool(name, arguments, *rest)


def _finding(item: Diagnostic) -> dict[str, Any]:
    return {**item.details}


def server(
    folder: str | os.PathLike[str],
    *,
    dialect: str = "superscript:ios",
    seed: str = "",
    write: bool = False,
) -> MCPServer[Any]:
    """Creates the server for a folder. ``write`` adds the tool that saves configs."""
    tools = Tools(Path(folder), dialect, seed)
    made: MCPServer[Any] = _Server(
        "tollgate", version=__version__, log_level="WARNING",
        instructions="Decides which paywall a user sees, and says why. `files` lists configs and "
        "users. Begin with `describe` of a config, and `check` it after each change. `diff` says "
        "which users a change affects.",
    )
    readers: list[Callable[..., dict[str, Any]]] = [
        tools.files, tools.describe, tools.check, tools.decide, tools.explain, tools.diff,
        tools.cover, tools.render, tools.precompute_summary,
    ]
    for reader in readers:
        made.add_tool(
            _told(reader),
            annotations=ToolAnnotations(
                read_only_hint=True, idempotent_hint=True, open_world_hint=False
            ),
        )
    if write:
        made.add_tool(
            _told(tools.save_config),
            annotations=ToolAnnotations(
                read_only_hint=False, destructive_hint=True, idempotent_hint=True,
                open_world_hint=False,
            ),
        )
    return made


def _told(function: _Function) -> _Function:
    """Wraps a function so that assistants can read its errors, not just "Error executing"."""
    import functools

    @functools.wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        try:
            return json.loads(json_bytes(function(*arguments, **named)))
        except (TollgateError, ImportError, OSError, TypeError, ValueError) as problem:
            raise ToolError(str(problem)) from problem

    return called  # type: ignore[return-value]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the server until its input ends, and returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="tollgate-mcp", description="A server for the Model Context Protocol.",
        allow_abbrev=False,
    )
    parser.add_argument("folder", nargs="?", default=".", help="with configs and users (.)")
    parser.add_argument("--http", action="store_true", help="over HTTP, at /mcp")
    parser.add_argument("--host", default="127.0.0.1", help="to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="to listen on (8000)")
    parser.add_argument("--write", action="store_true", help="also offer to save configs")
    parser.add_argument("--dialect", default="superscript:ios", help="the language of the rules")
    parser.add_argument("--seed", default="", help="the salt of the assignment hash")
    parser.add_argument("--version", action="version", version=f"tollgate-mcp {__version__}")
    options = parser.parse_args(arguments)
    if not Path(options.folder).is_dir():
        print(f"error: '{options.folder}' is not a folder", file=sys.stderr)
        return 2
    try:
        Config.loads('{"build_id": "0", "trigger_options": []}', dialect=options.dialect)
    except ValueError as problem:
        print(f"error: --{problem}", file=sys.stderr)
        return 2
    made = server(
        options.folder, dialect=options.dialect, seed=options.seed, write=options.write
    )
    transport: Literal["stdio", "streamable-http"] = "streamable-http" if options.http else "stdio"
    try:
        if transport == "stdio":
            made.run("stdio")
        else:
            made.run("streamable-http", host=options.host, port=options.port)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())

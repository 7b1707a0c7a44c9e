"""Tests the server with the official client: in the process, over pipes and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from conftest import CONFIG, NOW, expected, users

import tollgate

pytest.importorskip("mcp")

READERS = {
    "files", "describe", "check", "decide", "explain", "diff", "cover", "render",
    "precompute_summary"}
BETA = {"userId": "u", "user": {"tags": ["beta"]}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "configs"
    place.mkdir()
    (place / "config.json").write_text(json.dumps(CONFIG))
    lines = [json.dumps(record) for record in users(300)]
    (place / "users.ndjson").write_text("\n".join([*lines, "", '{"user": {}}']) + "\n")
    (tmp_path / "secret.json").write_text(json.dumps(CONFIG))
    return place


Ask = Callable[[Any], Coroutine[Any, Any, Any]]


def ask(folder: Path, work: Ask, **options: Any) -> Any:
    """Runs ``work`` with a client of a server in this process."""
    from mcp import Client

    from tollgate.mcp import server

    async def run() -> Any:
        async with Client(server(folder, seed="s", **options)) as client:
            return await work(client)

    return asyncio.run(run())


def call(folder: Path, tool: str, **arguments: Any) -> Any:
    """What a tool answers."""
    async def work(client: Any) -> Any:
        return await client.call_tool(tool, arguments)

    found = ask(folder, work)
    assert not found.is_error, found.content[0].text
    return found.structured_content


def refused(folder: Path, tool: str, **arguments: Any) -> str:
    """Why a tool does not answer."""
    async def work(client: Any) -> Any:
        return await client.call_tool(tool, arguments)

    found = ask(folder, work)
    assert found.is_error
    text: str = found.content[0].text
    assert "Traceback" not in text
    return text


def test_tools_say_what_they_take(folder: Path) -> None:
    async def work(client: Any) -> Any:
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in ask(folder, work)}
    assert set(tools) == READERS
    for tool in tools.values():
        assert tool.description and tool.annotations.read_only_hint is True
        assert tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
    schema = tools["decide"].input_schema
    assert schema["required"] == ["config", "user"]
    assert "user record" in schema["properties"]["user"]["description"]
    assert set(schema["properties"]) == {"config", "user", "placements", "now", "seed"}
    writing = {tool.name: tool for tool in ask(folder, work, write=True)}
    assert set(writing) == READERS | {"save_config"}
    assert writing["save_config"].annotations.read_only_hint is False


def test_describes_and_decides(folder: Path, config: tollgate.Config) -> None:
    facts = call(folder, "describe", config="config.json")
    assert facts["placements"] == ["export", "open"] and "user.plan" in facts["requirements"]
    for record in users(40):
        found = call(folder, "decide", config="config.json", user=record, now=NOW)
        got = {
            one["placement"]: {
                name: one[name] for name in ("result", "experiment", "variant", "paywall")}
            for one in found["decisions"]
        }
        assert got == expected(config, record)
    one = call(folder, "decide", config=CONFIG, user=BETA, placements=["open"], now=NOW)
    assert [found["paywall"] for found in one["decisions"]] == ["annual"]


def test_explains_with_the_smallest_change(folder: Path) -> None:
    user = {"userId": "u", "user": {"plan": "pro", "visits": 9}}
    asked = {"config": "config.json", "user": user, "placement": "export", "now": NOW}
    why = call(folder, "explain", **asked)
    assert "user.plan == 'free'" in why["text"] and why["changes"] is None
    assert why["explanation"]["placement"] == "export"
    least = call(folder, "explain", **asked, audience="free")
    assert least["changes"] == [{"path": "user.plan", "from": "pro", "to": "free"}]
    other = call(folder, "explain", **asked, set={"user.plan": "free"})
    assert other["explanation"]["result"] != why["explanation"]["result"]


def test_checks_what_cannot_be_used(folder: Path) -> None:
    fine = call(folder, "check", config="config.json")
    assert fine["counts"]["error"] == 0
    broken = json.loads(json.dumps(CONFIG))
    broken["trigger_options"][0]["rules"][0]["expression_cel"] = "user.plan =="
    found = call(folder, "check", config=broken)
    assert found["counts"]["error"] == 1
    assert found["diagnostics"][0]["path"].startswith("trigger_options[0].rules[0]")
    nothing = call(folder, "check", config={"nothing": 1})
    assert nothing["counts"]["error"] >= 1 and nothing["diagnostics"][0]["message"]


def test_compares_and_covers(folder: Path) -> None:
    new = json.loads(json.dumps(CONFIG))
    new["trigger_options"][0]["rules"][0]["expression_cel"] = "user.plan == 'free'"
    proved = call(folder, "diff", old="config.json", new=new, now=NOW)
    assert set(proved["placements"]) == {"export", "open"} and proved["changes"]
    few = [{"userId": "u", "user": {"plan": "free", "visits": 0}}]
    assert "export" in json.dumps(call(folder, "diff", old="config.json", new=new, users=few))
    test = {**BETA, "placement": "open", "expect": {"result": "paywall"}}
    none = call(folder, "cover", config="config.json", tests=[])
    assert call(folder, "cover", config="config.json", tests=[test]) != none


def test_renders(folder: Path) -> None:
    found = call(
        folder, "render", template="Bye {{ user.name }}",
        user={"userId": "u", "user": {"name": "Ann"}})
    assert found["text"] == "Bye Ann"


def counted(config: tollgate.Config, placement: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for record in users(300):
        found = expected(config, record)[placement]
        key = f"{found['result']} {found['variant']}"
        counts[key] = counts.get(key, 0) + 1
    return counts


def test_summaries(folder: Path, config: tollgate.Config) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet
    from test_frames import table

    by_line = call(
        folder, "precompute_summary", config="config.json", users="users.ndjson", now=NOW)
    assert (by_line["users"], by_line["rejected"], by_line["now"]) == (300, 1, NOW)
    assert by_line["rejects"][0]["record"] == 302 and "userId" in by_line["rejects"][0]["reason"]
    for placement in ("export", "open"):
        found: dict[str, int] = {}
        for choice in by_line["placements"][placement]:
            key = f"{choice['result']} {choice['variant']}"
            found[key] = found.get(key, 0) + choice["users"]
        assert found == counted(config, placement)
    parquet.write_table(
        pa.concat_tables([table(users(300)), table([{"user": {"plan": "free"}}])]),
        folder / "users.parquet")
    by_table = call(
        folder, "precompute_summary", config="config.json", users="users.parquet", now=NOW)
    assert (by_table["users"], by_table["rejected"]) == (300, 1)
    assert by_table["rejects"][0]["record"] == 301

    def sorted_(summary: Any) -> Any:
        return {name: sorted(map(str, part)) for name, part in summary["placements"].items()}

    assert sorted_(by_table) == sorted_(by_line)
    few = call(
        folder, "precompute_summary", config="config.json", users=users(300),
        placements=["open"], now=NOW)
    assert list(few["placements"]) == ["open"]
    assert sorted_(few)["open"] == sorted_(by_line)["open"]


def test_mistakes_are_told(folder: Path) -> None:
    assert "did you mean 'open'" in refused(
        folder, "decide", config="config.json", user=BETA, placements=["opne"])
    assert "config.json" in refused(folder, "decide", config="confg.json", user=BETA)
    assert "userId" in refused(folder, "decide", config="config.json", user={"user": {}})
    (folder / "bad.ndjson").write_text('{"userId": "a"}\n{"userId"\n')
    assert "bad.ndjson:2 is not JSON" in refused(
        folder, "diff", old="config.json", new="config.json", users="bad.ndjson")
    assert "user" in refused(folder, "decide", config="config.json")
    assert "save_config" in refused(folder, "save_config", path="x.json", config=CONFIG)
    assert not (folder / "x.json").exists()


def test_lines_that_are_no_records_are_counted(folder: Path) -> None:
    lines = [
        '{"userId": "a"}', '{"userId"', "[1]", '{"userId": "b", "user": {"visits": NaN}}', "",
        "[" * 100_000, '{"userId": "c"}', '{"userId": 5}']
    (folder / "bad.ndjson").write_bytes("\n".join([*lines, '"\udc80"']).encode(
        errors="surrogateescape"))
    found = call(folder, "precompute_summary", config="config.json", users="bad.ndjson", now=NOW)
    assert (found["users"], found["rejected"]) == (2, 6)
    assert [one["record"] for one in found["rejects"]] == [2, 3, 4, 6, 8, 9]
    assert "'user.visits' is not a finite number" in found["rejects"][2]["reason"]


@pytest.mark.parametrize("name", ["../secret.json", "/etc/passwd", "a/../../secret.json", "."])
def test_files_elsewhere_are_not_read(folder: Path, name: str) -> None:
    said = refused(folder, "describe", config=name)
    assert "is not below the folder" in said


def test_links_out_of_the_folder_are_not_followed(folder: Path) -> None:
    (folder / "link.json").symlink_to(folder.parent / "secret.json")
    assert "is not below the folder" in refused(folder, "describe", config="link.json")


def test_saves(folder: Path) -> None:
    async def save(client: Any, path: str, config: Any) -> Any:
        return await client.call_tool("save_config", {"path": path, "config": config})

    new = json.loads(json.dumps(CONFIG))
    new["build_id"] = "new"
    done = ask(folder, lambda client: save(client, "new/config.json", new), write=True)
    assert not done.is_error and done.structured_content["placements"] == ["export", "open"]
    assert json.loads((folder / "new" / "config.json").read_text()) == new
    broken = json.loads(json.dumps(new))
    broken["trigger_options"][0]["rules"][0]["expression_cel"] = "user.plan =="
    before = (folder / "config.json").read_bytes()
    for path, config in [("config.json", broken), ("../secret.json", new)]:
        assert ask(folder, lambda client, p=path, c=config: save(client, p, c), write=True).is_error
    assert (folder / "config.json").read_bytes() == before
    assert json.loads((folder.parent / "secret.json").read_text()) == CONFIG
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "new", "users.ndjson"]


def test_over_pipes(folder: Path) -> None:
    from mcp import Client, StdioServerParameters

    async def work() -> Any:
        parameters = StdioServerParameters(
            command=sys.executable, args=["-m", "tollgate.mcp", str(folder)],
            env=dict(os.environ))
        async with Client(parameters) as client:
            assert client.server_info.name == "tollgate"
            assert client.server_info.version == tollgate.__version__
            return await client.call_tool("decide", {"config": "config.json", "user": BETA})

    found = asyncio.run(asyncio.wait_for(work(), 120))
    assert {one["placement"]: one["paywall"] for one in found.structured_content["decisions"]} == {
        "export": None, "open": "annual"}


def test_over_http(folder: Path) -> None:
    from mcp import Client

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "tollgate.mcp", str(folder), "--http", "--port", str(port)])
    try:
        async def work() -> Any:
            for _ in range(600):
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    assert process.poll() is None
                    await asyncio.sleep(0.1)
            async with Client(f"http://127.0.0.1:{port}/mcp") as client:
                return await client.call_tool("describe", {"config": "config.json"})

        found = asyncio.run(asyncio.wait_for(work(), 120))
        assert found.structured_content["placements"] == ["export", "open"]
    finally:
        process.terminate()
        process.wait(60)


@pytest.mark.parametrize(("arguments", "words", "code"), [
    (["nowhere"], "'nowhere' is not a folder", 2),
    ([".", "--dialect", "sql"], "superscript:ios", 2),
    (["--version"], "tollgate-mcp ", 0),
])
def test_the_command(arguments: list[str], words: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tollgate.mcp", *arguments], capture_output=True, text=True,
        timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == code
    assert re.search(re.escape(words), done.stdout + done.stderr)


def test_only_configs_are_replaced(folder: Path) -> None:
    async def save(client: Any, path: str) -> Any:
        return await client.call_tool("save_config", {"path": path, "config": CONFIG})

    (folder / "user.json").write_text(json.dumps(BETA))
    (folder / "sub").mkdir()
    os.mkfifo(folder / "pipe")
    before = (folder / "users.ndjson").read_bytes()
    for name in ("users.ndjson", "user.json", "pipe", "sub"):
        done = ask(folder, lambda client, name=name: save(client, name), write=True)
        assert done.is_error and "is not a config" in done.content[0].text
    assert (folder / "users.ndjson").read_bytes() == before
    assert (folder / "pipe").is_fifo()
    # What others must not read stays so.
    (folder / "config.json").chmod(0o600)
    assert not ask(folder, lambda client: save(client, "config.json"), write=True).is_error
    assert (folder / "config.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(("tool", "arguments", "words"), [
    ("decide", {"config": "config.json", "user": BETA, "placement": "open"},
     "decide has no argument 'placement' (did you mean 'placements'?); it takes config, user"),
    ("explain", {"config": "config.json", "user": BETA, "placements": ["open"]},
     "explain has no argument 'placements' (did you mean 'placement'?)"),
    ("render", {"config": "config.json", "template": "{{ a }}"},
     "render has no argument 'config'; it takes template, products"),
    ("decide", {"confg": "config.json", "user": BETA}, "(did you mean 'config'?)"),
    ("check", {"config": "config.json", "schema": {}}, "check has no argument 'schema'; it takes"),
    ("files", {"path": "."}, "files has no argument 'path'; it takes none"),
    ("decide", {"config": "config.json"}, "decide needs 'user': a user record such as"),
    ("render", {}, "render needs 'template'"),
])
def test_unknown_arguments(
    folder: Path, tool: str, arguments: dict[str, Any], words: str
) -> None:
    assert words in refused(folder, tool, **arguments)


def test_files(folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "users.parquet").write_bytes(b"")
    (folder / ".git").mkdir()
    (folder / ".git" / "config.json").write_text("{}")
    (folder / ".hidden.json").write_text("{}")
    (folder / "link.json").symlink_to(folder.parent / "secret.json")
    (folder / "within.json").symlink_to(folder / "config.json")
    (folder / "outside").symlink_to(folder.parent)
    os.mkfifo(folder / "pipe")
    names = ["a/users.parquet", "config.json", "users.ndjson", "within.json"]
    assert call(folder, "files") == {"files": names, "more": 0}
    said = refused(folder, "precompute_summary", config="config.json", users="users.parquet")
    assert "(did you mean 'a/users.parquet'?); the folder has a/users.parquet, config.json" in said
    for number in range(1_100):
        (folder / f"n{number}.json").write_text("{}")
    many = call(folder, "files")
    assert (len(many["files"]), many["more"]) == (1_000, 104)
    assert "and 1084 more" in refused(folder, "describe", config="none")


def test_folders_without_files(tmp_path: Path) -> None:
    assert call(tmp_path, "files") == {"files": [], "more": 0}
    assert "the folder has no files" in refused(tmp_path, "describe", config="config.json")


def test_the_package_that_it_needs() -> None:
    code = "import sys; sys.modules['mcp'] = None\nimport tollgate.mcp"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'tollgate-rules[mcp]'" in done.stderr


@pytest.mark.parametrize(("tool", "arguments", "words"), [
    ("describe", {"config": 5}, "describe: 'config' must be a string or an object: a config"),
    ("describe", {"config": None}, "'config' must be a string or an object"),
    ("decide", {"config": "config.json", "user": "u"}, "decide: 'user' must be an object: a user"),
    ("decide", {"config": "config.json", "user": BETA, "placements": "open"},
     "'placements' must be a list: names of placements"),
    ("decide", {"config": "config.json", "user": BETA, "placements": [1]}, "must be a list"),
    ("decide", {"config": "config.json", "user": BETA, "now": 5}, "'now' must be a string"),
    ("diff", {"old": "config.json", "new": "config.json", "users": [1]},
     "'users' must be a string or a list"),
    ("explain", {"config": "config.json", "user": BETA, "placement": "open", "audience": True},
     "'audience' must be an integer or a string"),
    ("precompute_summary", {"config": "config.json", "users": "users.ndjson", "dates": "texts"},
     "'dates' must be 'text' or 'timestamp'"),
    ("precompute_summary", {"config": "config.json", "users": "users.ndjson", "subject": "id"},
     "'subject' is for users in a Parquet file"),
    ("describe", {"config": "\0"}, "is not the name of a file"),
    ("describe", {"config": "a" * 5_000}, "is not the name of a file"),
])
def test_arguments_of_other_types(
    folder: Path, tool: str, arguments: dict[str, Any], words: str
) -> None:
    said = refused(folder, tool, **arguments)
    assert words in said and "pydantic" not in said, said


def test_parquet(folder: Path, config: tollgate.Config) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet
    from test_frames import table

    given = table(users(300))
    flat = pa.table({
        "id": given["userId"], "user_plan": given["user"].combine_chunks().field("plan"),
        "user_visits": given["user"].combine_chunks().field("visits").cast(
            pa.decimal128(20, 0)),
        "user_tags": given["user"].combine_chunks().field("tags"),
        "device_locale": given["device"].combine_chunks().field("locale")})
    parquet.write_table(given, folder / "users.PARQUET")
    parquet.write_table(flat, folder / "flat.parquet")
    parquet.write_table(
        pa.table({"userId": given["userId"], "user.tags": flat["user_tags"]}),
        folder / "dots.parquet")
    (folder / "broken.parquet").write_text("x")
    other = json.loads(json.dumps(CONFIG))
    other["trigger_options"][1]["rules"][0]["expression_cel"] = "'gamma' in user.tags"
    (folder / "other.json").write_text(json.dumps(other))

    def summary(name: str, **options: Any) -> Any:
        return call(
            folder, "precompute_summary", config="config.json", users=name, now=NOW, **options)

    wanted = summary("users.PARQUET")
    assert wanted["users"] == 300
    assert summary("flat.parquet", subject="id", separator="_", decimals="double") == wanted
    said = refused(folder, "precompute_summary", config="config.json", users="flat.parquet")
    assert "subject='id'" in said and "separator='_'" in said
    assert summary("dots.parquet", missing_columns="ignore")["placements"]["open"] == (
        wanted["placements"]["open"])

    # Records of Parquet files are those of lines of JSON.
    records = [{
        name: {key: part for key, part in value.items() if part is not None}
        if isinstance(value, dict) else value
        for name, value in row.items() if value is not None} for row in given.to_pylist()]
    moved = config.diff(tollgate.Config.loads(other, seed="s"), users=records, now=NOW)
    for name in ("users.PARQUET", "dots.parquet"):
        found = call(folder, "diff", old="config.json", new="other.json", users=name, now=NOW)
        assert found["placements"]["open"] == moved["placements"]["open"] and found["moved"] > 0
    for tool, arguments in (
        ("diff", {"old": "config.json", "new": "config.json"}),
        ("precompute_summary", {"config": "config.json"}),
    ):
        said = refused(folder, tool, users="broken.parquet", **arguments)
        assert "broken.parquet cannot be read as Parquet" in said


def test_lines_of_other_encodings(folder: Path) -> None:
    (folder / "latin.ndjson").write_bytes('{"userId": "é"}\n{"userId": "a"}\n'.encode("latin-1"))
    found = call(folder, "precompute_summary", config="config.json", users="latin.ndjson")
    assert found["users"] == 1 and found["rejects"] == [
        {"record": 1, "reason": "latin.ndjson:1 is not UTF-8"}]

"""`python -m tollgate decide`"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import CONFIG, NOW, expected, users

import tollgate

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def run(*arguments: str, code: int = 0) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "tollgate", *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.fixture
def place(tmp_path: Path) -> Path:
    from test_frames import table

    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "users").mkdir()
    people = users(20_000)
    for number in range(2):
        part = people[number * 10_000:(number + 1) * 10_000]
        parquet.write_table(
            table(part), tmp_path / "users" / f"{number}.parquet", row_group_size=3_000)
    return tmp_path


def test_files(place: Path, config: tollgate.Config) -> None:
    out, said = run(
        "decide", f"{place}/config.json", "--users", f"{place}/users/*.parquet", "--out",
        f"{place}/out", "--now", NOW, "--seed", "s")
    summary: dict[str, Any] = json.loads(out)
    assert summary["users"] == 20_000 and summary["rejected"] == 0 and summary["now"] == NOW
    assert "2 of 2" in said and "10,000 users" in said
    people = users(20_000)
    for number in range(2):
        found = parquet.read_table(place / "out" / f"{number}.parquet")
        assert found.column_names[:3] == ["userId", "export.result", "export.audience"]
        for row in range(0, 10_000, 997):
            record = people[number * 10_000 + row]
            got = found.slice(row, 1).to_pylist()[0]
            assert got["userId"] == record["userId"]
            for placement, fields in expected(config, record).items():
                for name, value in fields.items():
                    assert got[f"{placement}.{name}"] == value
    assert not list(place.rglob("*.partial"))


def test_reasons(place: Path, config: tollgate.Config) -> None:
    run(
        "decide", f"{place}/config.json", "--users", f"{place}/users/0.parquet", "--out",
        f"{place}/o.parquet", "--now", NOW, "--seed", "s", "--reasons")
    found = parquet.read_table(place / "o.parquet")
    assert found.schema.field("export.reason").type == pa.string()
    people = users(20_000)
    kinds = set()
    for row in range(0, 10_000, 97):
        got = found.slice(row, 1).to_pylist()[0]
        for placement, wanted in wanted_reasons(config, people[row]).items():
            said = got[f"{placement}.reason"]
            assert (json.loads(said) if said else None) == wanted
            kinds.update(wanted or {})
    assert "draw" in kinds
    # Without them, what was decided is something else.
    _, said = run(
        "decide", f"{place}/config.json", "--users", f"{place}/users/0.parquet", "--out",
        f"{place}/o.parquet", "--now", NOW, "--seed", "s", "--resume", code=2)
    assert "was decided with another reasons" in said


def wanted_reasons(config: tollgate.Config, record: dict[str, Any]) -> dict[str, Any]:
    """What the library says of one user by itself."""
    from tollgate._library import Text, checked, library

    body = json.dumps({**record, "now": NOW, "reasons": True}).encode()
    text = Text()
    found = json.loads(
        checked(library.tg_decide(config._pointer, body, len(body), text), text))
    reasons = {outcome["placement"]: outcome.get("reason") for outcome in found["decisions"]}
    for reason in reasons.values():
        # What the result says already.
        (reason or {}).pop("code", None)
    return {placement: reason or None for placement, reason in reasons.items()}


def test_resume(place: Path) -> None:
    arguments = [
        "decide", f"{place}/config.json", "--users", f"{place}/users/*.parquet", "--out",
        f"{place}/out", "--now", NOW]
    run(*arguments)
    (place / "out" / "1.parquet").unlink()
    before = (place / "out" / "0.parquet").stat().st_mtime_ns
    out, said = run(*arguments, "--resume")
    assert json.loads(out)["filesLeftOut"] == 1 and "complete already" in said
    assert (place / "out" / "0.parquet").stat().st_mtime_ns == before
    assert (place / "out" / "1.parquet").exists()


def test_resume_takes_only_what_was_decided_alike(place: Path) -> None:
    arguments = [
        "decide", f"{place}/config.json", "--users", f"{place}/users/*.parquet", "--out",
        f"{place}/out", "--quiet"]
    first, _ = run(*arguments)
    (place / "out" / "1.parquet").unlink()
    # The time of before counts on.
    second, _ = run(*arguments, "--resume")
    assert json.loads(first)["now"] == json.loads(second)["now"]
    for more, word in ((["--seed", "x"], "seed"), (["--now", NOW], "now"),
                       (["--placements", "open"], "placements")):
        _, said = run(*arguments, *more, "--resume", code=2)
        assert f"was decided with another {word}; remove it" in said
    (place / "config.json").write_text(json.dumps({**CONFIG, "build_id": "c"}))
    _, said = run(*arguments, "--resume", code=2)
    assert "was decided with another config" in said
    parquet.write_table(pa.table({"a": [1]}), place / "out" / "0.parquet")
    _, said = run(*arguments, "--resume", code=2)
    assert "0.parquet was decided with another config, dialect" in said


def test_a_file_that_is_damaged_inside(place: Path) -> None:
    path = place / "users" / "0.parquet"
    content = bytearray(path.read_bytes())
    content[100:20_000] = b"\x55" * 19_900
    path.write_bytes(content)
    _, said = run(
        "decide", f"{place}/config.json", "--users", str(path), "--out", f"{place}/o.parquet",
        code=1)
    assert "error: " in said and "0.parquet" in said
    assert not list(place.glob("o.parquet*"))


def test_one_file_and_no_rows(place: Path) -> None:
    from test_frames import table

    parquet.write_table(table([]), place / "empty.parquet")
    out, _ = run(
        "decide", f"{place}/config.json", "--users", f"{place}/empty.parquet", "--out",
        f"{place}/none.parquet")
    assert json.loads(out)["users"] == 0
    found = parquet.read_table(place / "none.parquet")
    assert found.num_rows == 0 and "open.paywall" in found.column_names


@pytest.mark.parametrize(("arguments", "words", "code"), [
    (["--users", "{}/none/*.parquet", "--out", "{}/out"], "there is no such file", 2),
    (["--users", "{}/users", "--out", "{}/out"], "is a folder", 2),
    (["--users", "{}/users/*.parquet", "--out", "{}/users"], "users themselves", 2),
    (["--users", "{}/users/0.parquet", "--out", "{}/users/0.parquet"], "users itself", 2),
    (["--users", "{}/users/*.parquet", "--out", "{}/config.json"], "name a folder", 2),
    (["--users", "{}/config.json", "--out", "{}/out.parquet"], "error: ", 1),
    (["--users", "{}/users/0.parquet", "--out", "{}/o", "--subject", "id"], "no column 'id'", 2),
    (["--users", "{}/users/0.parquet", "--out", "{}/o", "--placements", "opn"], "'open'", 2),
    (["--users", "{}/users/0.parquet", "--out", "{}/o", "--columns", "a"], "PATH=COLUMN", 2),
    (["--users", "{}/users/0.parquet", "--out", "{}/o", "--now", "x"], "'now' must be", 2),
    (["--users", "{}/users/0.parquet", "--out", "{}/o", "--reason"], "arguments: --reason", 2),
])
def test_mistakes(place: Path, arguments: list[str], words: str, code: int) -> None:
    given = [argument.format(place) for argument in arguments]
    _, said = run("decide", f"{place}/config.json", *given, code=code)
    assert words in said
    assert len(list((place / "users").iterdir())) == 2 and not (place / "o").exists()

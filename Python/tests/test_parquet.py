"""Tests `python -m tollgate decide`."""

from __future__ import annotations

import json
import os
import shutil
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
    os.mkfifo(tmp_path / "pipe")
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
    assert json.loads(out)["filesLeftOut"] == 1 and "already complete" in said
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
    (["--users", "{}/users/0.parquet", "--out", "{}/users/0.parquet"], "is an input itself", 2),
    (["--users", "{}/users/0.parquet", "--out", "{}/config.json"], "is an input itself", 2),
    (["--users", "{}/users/0.parquet", "--out", "{}/pipe"], "is not a file", 2),
    (["--users", "{}/pipe", "--out", "{}/o"], "is not a file; Parquet is read", 2),
    (["--users", "{}/users/0.parquet", "--out", "{}/no/o.parquet"], "there is no folder", 2),
    (["--users", "{}/users/0.parquet", "--out", ""], "--out is empty", 2),
    (["--users", "{}/users/0.parquet", "--out", "{}/o", "--dialect", "sql"], "superscript:ios", 2),
    (["--users", "{}/users/*.parquet", "--out", "{}/config.json"], "name a folder", 2),
    (["--users", "{}/users/*.parquet", "--out", "{}/o.parquet"], "name a folder", 2),
    (["--users", "{}/config.json", "--out", "{}/out.parquet"], "error: ", 1),
    (["--users", "{}/users/0.parquet", "--out", "{}/o.parquet", "--subject", "id"],
     "no column 'id'", 2),
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


def test_a_config_without_placements(place: Path) -> None:
    (place / "none.json").write_text('{"build_id": "1", "trigger_options": []}')
    _, said = run(
        "decide", f"{place}/none.json", "--users", f"{place}/users/0.parquet", "--out",
        f"{place}/o", code=2)
    assert "none.json has no placements" in said


def test_a_seed_that_is_no_text(place: Path) -> None:
    _, said = run(
        "decide", f"{place}/config.json", "--users", f"{place}/users/0.parquet", "--out",
        f"{place}/o", "--seed", "a\udcff", code=1)
    assert said.startswith("error: a record has half of a character")


def test_names_with_brackets(place: Path) -> None:
    (place / "users" / "0.parquet").rename(place / "users" / "u[1].parquet")
    out, _ = run(
        "decide", f"{place}/config.json", "--users", f"{place}/users/u[1].parquet", "--out",
        f"{place}/o.parquet")
    assert json.loads(out)["users"] == 10_000


def test_what_a_link_leads_to_is_written(place: Path) -> None:
    (place / "real").mkdir()
    (place / "o.parquet").symlink_to(place / "real" / "o.parquet")
    for _ in range(2):
        run(
            "decide", f"{place}/config.json", "--users", f"{place}/users/0.parquet", "--out",
            f"{place}/o.parquet")
        assert (place / "o.parquet").is_symlink()
        assert parquet.read_table(place / "real" / "o.parquet").num_rows == 10_000
    assert [path.name for path in (place / "real").iterdir()] == ["o.parquet"]


def test_files_that_changed_are_decided_again(place: Path) -> None:
    arguments = [
        "decide", f"{place}/config.json", "--users", f"{place}/users/*.parquet", "--out",
        f"{place}/out", "--now", NOW]
    run(*arguments)
    shutil.copy(place / "users" / "1.parquet", place / "users" / "0.parquet")
    out, said = run(*arguments, "--resume")
    assert json.loads(out)["filesLeftOut"] == 1 and "the users have changed" in said
    parts = [parquet.read_table(place / "out" / f"{n}.parquet") for n in range(2)]
    assert parts[0].column("userId") == parts[1].column("userId")


def test_two_runs_into_one_file(place: Path) -> None:
    """One of them writes it, and the other says so; whatever is there is whole."""
    parts = [parquet.read_table(place / "users" / "0.parquet")] * 40
    parquet.write_table(pa.concat_tables(parts), place / "many.parquet")
    command = [
        sys.executable, "-m", "tollgate", "decide", f"{place}/config.json", "--users",
        f"{place}/many.parquet", "--out", f"{place}/o.parquet", "--quiet", "--seed"]
    both = [
        subprocess.Popen([*command, seed], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for seed in ("a", "b")
    ]
    said = [process.communicate(timeout=120)[1].decode() for process in both]
    assert {process.returncode for process in both} <= {0, 2}
    done = [process.returncode == 0 for process in both]
    assert any(done)
    for process, words in zip(both, said, strict=True):
        assert process.returncode == 0 or "is being written by another run" in words
    assert parquet.read_table(place / "o.parquet").num_rows == 400_000
    assert not (place / "o.parquet.partial").exists()


def test_a_run_that_another_one_disturbs(place: Path) -> None:
    from tollgate.__main__ import _Output, _Usage

    target = place / "o.parquet"
    with _Output(target) as first:
        first.file.write(b"first")
        with pytest.raises(_Usage, match="is being written by another run"):
            _Output(target)
        assert (place / "o.parquet.partial").exists(), "the other run's file is left alone"
        first.complete()
    assert target.read_bytes() == b"first"
    # What a run that was killed has left is no hindrance.
    (place / "o.parquet.partial").write_bytes(b"half of something longer")
    with _Output(target) as second:
        second.file.write(b"second")
        second.complete()
    assert target.read_bytes() == b"second"
    with pytest.raises(ZeroDivisionError), _Output(target):
        raise ZeroDivisionError
    assert target.read_bytes() == b"second"
    assert not (place / "o.parquet.partial").exists()


def test_storage_without_locks(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno
    import fcntl

    from tollgate.__main__ import _Output

    def flock(file: object, how: int) -> None:
        raise OSError(number, "no locks")

    monkeypatch.setattr(fcntl, "flock", flock)
    number = errno.ENOLCK
    with _Output(place / "o") as output:
        output.file.write(b"x")
        output.complete()
    assert (place / "o").read_bytes() == b"x"
    number = errno.EIO
    with pytest.raises(OSError, match="no locks"):
        _Output(place / "o")


def test_interrupted_while_reading(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C comes in whatever runs, which is often the function that Arrow asks for users."""
    from tollgate.__main__ import main

    def batches(self: Any, **options: Any) -> Any:
        yield from before(self, **options)
        raise KeyboardInterrupt

    before = parquet.ParquetFile.iter_batches
    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", batches)
    code = main([
        "decide", f"{place}/config.json", "--users", f"{place}/users/0.parquet", "--out",
        f"{place}/o.parquet"])
    assert code == 130 and "Stopped" in capsys.readouterr().err
    assert not list(place.glob("o.parquet*"))


def test_flat_names_and_types(place: Path, config: tollgate.Config) -> None:
    from test_shapes import flat, records

    table = flat()
    visits = table["user_visits"].cast(pa.decimal128(38, 0))
    table = table.drop_columns(["user_visits"]).append_column("user_visits", visits)
    parquet.write_table(table, place / "flat.parquet")
    given = [
        "decide", f"{place}/config.json", "--users", f"{place}/flat.parquet", "--now", NOW,
        "--seed", "s", "--out", f"{place}/o.parquet"]
    _, said = run(*given, "--separator", "_", code=1)
    assert "is a decimal" in said
    run(*given, "--separator", "_", "--decimals", "double")
    found = parquet.read_table(place / "o.parquet")
    wanted = [expected(config, record)["export"]["variant"] for record in records()]
    assert found["export.variant"].to_pylist() == wanted
    _, said = run(*given, "--separator", "_", "--decimals", "text", "--resume", code=2)
    assert "decided with another decimals" in said
    run(*given, "--separator", "_", "--decimals", "double", "--resume")
    for options, words in [
        (["--separator", ""], "--separator=''"), (["--naive-times", "X"], "--naive-times='X'"),
        (["--decimals", "int"], "--decimals"),
    ]:
        _, said = run(*given, *options, code=2)
        assert words in said


def test_out_is_what_its_name_says(place: Path) -> None:
    (place / "there.parquet").mkdir()
    (place / "there").write_text("")
    given = ["decide", f"{place}/config.json", "--quiet", "--seed", "s", "--now", NOW]
    for out, found in [
        ("o.parquet", "o.parquet"), ("o.pq", "o.pq"), ("O.PARQUET", "O.PARQUET"),
        ("new", "new/0.parquet"),
        ("more/new", "more/new/0.parquet"), ("new/", "new/0.parquet"),
        ("new.parquet/", "new.parquet/0.parquet"), ("there.parquet", "there.parquet/0.parquet"),
        ("there", "there"),
    ]:
        # A pattern finds one file or more, by the day.
        for pattern in ("users/0.parquet", "users/0*.parquet"):
            run(*given, "--users", f"{place}/{pattern}", "--out", f"{place}/{out}")
            assert parquet.read_table(place / found).num_rows == 10_000
    # A name that says another format.
    for out in ("o.csv", "o.JSON", "o.parquet.gz"):
        _, said = run(
            *given, "--users", f"{place}/users/*.parquet", "--out", f"{place}/{out}", code=2)
        assert "outcomes are Parquet" in said and not (place / out).exists()

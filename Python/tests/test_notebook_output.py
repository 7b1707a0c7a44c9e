"""Tests HTML and charts of answers in notebooks."""

from __future__ import annotations

import copy
import json
import pickle
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from conftest import CONFIG, NOW, rule, users, variant

import tollgate

VOID = {"br", "hr"}
ODD = "<script>alert('x')</script> & \" $x_1$"


class Page(HTMLParser):
    """Reads HTML, and fails if tags do not match."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def shown(value: Any) -> Page:
    return Page(value._repr_html_())


def odd() -> tollgate.Config:
    """A config whose names are HTML."""
    return tollgate.Config.loads({"build_id": "b", "trigger_options": [{
        "event_name": ODD, "rules": [
            rule(ODD, f"user.x == {json.dumps(ODD)}", variant(ODD, 100, ODD)),
            rule("fails", "user.x > 3", variant("v", 100, ODD))]}]}, dialect="cel")


def tally(made: tollgate.Config, records: list[dict[str, Any]]) -> tollgate.Tally:
    pytest.importorskip("pyarrow")
    from test_frames import table

    return made.plan(now=NOW, missing_columns="ignore").count(table(records))


def test_explanations(config: tollgate.Config) -> None:
    user = {"userId": "u1", "user": {"plan": "free", "visits": 1}}
    page = shown(config.explain("export", user, now=NOW))
    assert page.text.startswith("export noAudienceMatch for u1 audience 0 free does not match")
    assert "no user.visits > 2 user.visits is 1" in page.text
    assert page.tags.count("details") == 2
    user["user"]["visits"] = 3
    page = shown(config.explain("export", user, now=NOW))
    assert "takes the user" in page.text and "40.0%" in page.text
    page = shown(config.explain("export", user, audience=1, now=NOW))
    assert "the smallest change after which it matches" in page.text
    assert "device.locale" in page.text and page.tags.count("details") == 1
    assert repr(config.explain("export", user)) == "<Explanation of 'export'>"
    assert repr(config.explain("export", user, audience=1)) == "<Explanation of audience 1>"
    page = shown(config.explain("open", {"userId": "u"}, now=NOW))
    assert "user.tags is missing" in page.text


@pytest.mark.filterwarnings("ignore::tollgate.RuleWarning")
@pytest.mark.parametrize("record", [
    {"userId": ODD, "user": {"x": ODD}}, {"userId": ODD, "user": {"x": [ODD]}},
    {"userId": ODD}, {"userId": ODD, "user": {"x": {ODD: None}}}])
def test_strings_are_escaped(record: dict[str, Any]) -> None:
    made = odd()
    others = tollgate.Config.loads(json.dumps({"build_id": "b", "trigger_options": [{
        "event_name": ODD, "rules": []}]}), dialect="cel")
    pages = [shown(made.explain(ODD, record, now=NOW))]
    pages += [shown(made.explain(ODD, record, audience=0, now=NOW))]
    pages.append(shown(tally(made, [{"userId": ODD, "user": {"x": ODD}}])))
    pages.append(shown(made.diff(others, now=NOW)))
    for page in pages:
        assert "script" not in page.tags and ODD.split()[0] in page.text
    assert "script" not in shown(made.diff(others, users=[record], now=NOW)).tags


def test_tallies(config: tollgate.Config) -> None:
    pl = pytest.importorskip("polars")
    counted = tally(config, users(300))
    page = shown(counted)
    assert page.text.startswith("300 users , 0 rejected export paywall")
    assert page.tags.count("table") == 2 and "failed for" in page.text
    frame = counted.to_polars()
    assert frame.columns == [
        "placement", "audience", "reached", "matched", "held_back", "owned", "taken", "failed"]
    assert frame.height == 3 and frame.schema["reached"] == pl.Int64
    for row in frame.iter_rows(named=True):
        one = counted.audiences(row["placement"])[row["audience"]]
        assert [row["reached"], row["matched"], row["held_back"], row["taken"]] == [
            one["reached"], one["matched"], one["heldBack"], one["taken"]]
        errors = [each for each in counted.errors(row["placement"])
                  if each["audience"] == row["audience"]]
        assert row["failed"] == sum(each["users"] for each in errors)
    assert frame["failed"].sum() > 0
    empty = tally(tollgate.Config.loads({"build_id": "b", "trigger_options": []}), users(5))
    assert empty.to_polars().is_empty() and empty.to_polars().columns == frame.columns
    assert shown(empty).text == "5 users , 0 rejected"


def test_differences(config: tollgate.Config) -> None:
    other = copy.deepcopy(CONFIG)
    other["trigger_options"][0]["rules"][0]["expression_cel"] = "user.plan == 'free'"
    made = tollgate.Config.loads(other, seed="s")
    moved = config.diff(made, users=users(300), now=NOW)
    assert moved == json.loads(json.dumps(moved)) and isinstance(moved, dict)
    page = shown(moved)
    assert page.text.startswith(f"{moved['moved']} of 300 users move export")
    assert "open" not in page.text
    proof = config.diff(made, now=NOW)
    page = shown(proof)
    assert "export users move" in page.text and "open no user moves" in page.text
    for each in (moved, proof):
        assert pickle.loads(pickle.dumps(each)) == each == copy.deepcopy(each)
    assert shown(config.diff(config, users=users(10))).text == "0 of 10 users move"


def test_long_lists_are_cut(config: tollgate.Config) -> None:
    clauses = " || ".join(f"user.n == {number}" for number in range(80))
    made = tollgate.Config.loads({"build_id": "b", "trigger_options": [{
        "event_name": "p", "rules": [rule("e", clauses, variant("v", 100, "a"))]}]})
    page = shown(made.explain("p", {"userId": "u", "user": {"n": 99}}))
    assert page.tags.count("tr") == 51 and "and 30 more" in page.text


@pytest.mark.filterwarnings("ignore::tollgate.RuleWarning")
def test_plots(config: tollgate.Config, tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    counted = tally(config, users(300))
    figure = counted.plot()
    assert [axis.get_title(loc="left") for axis in figure.axes] == ["export", "open"]
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    audiences = counted.audiences("export")
    assert widths == [
        one[part] for part in ("reached", "matched", "taken") for one in audiences]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [
        "audience 0", "audience 1"]
    figure.savefig(tmp_path / "x.png")
    assert (tmp_path / "x.png").stat().st_size > 5_000
    assert not pyplot.get_fignums()
    assert len(counted.plot(["open"]).axes) == 1 and not counted.plot([]).axes
    with pytest.raises(KeyError, match="placement 'opened' was not counted; there is export, open"):
        counted.plot(["opened"])
    with pytest.raises(TypeError, match="is a string; give a list"):
        counted.plot("open")  # type: ignore[arg-type]
    odd_names = tally(odd(), [{"userId": "u", "user": {"x": "x"}}]).plot()
    odd_names.savefig(tmp_path / "odd.png")


def test_plots_need_matplotlib(
    config: tollgate.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        tally(config, users(3)).plot()


def test_notebooks_show_plots(tmp_path: Path) -> None:
    for module in ("matplotlib", "pyarrow"):
        pytest.importorskip(module)
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    text = json.dumps(json.dumps(CONFIG))
    cells = [
        f"import tollgate, pyarrow\nconfig = tollgate.Config.loads({text})"
        "\ntable = pyarrow.table({'userId': ['u'], 'user.plan': ['free']})\n"
        "tally = config.plan(missing_columns='ignore').count(table)",
        "tally", "tally.plot()", "config.explain('open', {'userId': 'u'})", "config.diff(config)"]
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}}).execute()
    kinds = [
        {kind for output in cell.outputs for kind in output.get("data", {})}
        for cell in notebook.cells[1:]]
    assert ["text/html" in found for found in kinds] == [True, False, True, True]
    assert "image/png" in kinds[1]
    assert not re.search("<Figure size", str(notebook.cells[1].outputs))

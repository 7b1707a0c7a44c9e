"""HTML for notebooks: explanations, counts and differences.

Colors work on light and dark backgrounds, and every string of a config or a user is escaped.
"""

from __future__ import annotations

import json
from html import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

_GREEN, _RED, _AMBER, _GRAY = "#1a7f4b", "#c0392b", "#b7791f", "#7a7f87"
_TABLE = "border-collapse:collapse;margin:4px 0 12px"
_CELL = "padding:3px 10px;text-align:left;vertical-align:top;border-bottom:1px solid #8884"
_NUMBER = _CELL + ";text-align:right;font-variant-numeric:tabular-nums"
# The longest list that a notebook shows.
_MOST_ROWS = 50
_REASONS = {
    "matched": ("takes the user", _GREEN),
    "expressionFalse": ("does not match", _GRAY),
    "expressionError": ("its rule fails", _RED),
    "occurrenceLimit": ("held back by its limit", _AMBER),
    "entitled": ("the user owns its entitlement", _AMBER),
    "notReached": ("not reached", _GRAY),
}
_MARKS = {"true": ("yes", _GREEN), "false": ("no", _RED), "error": ("error", _AMBER)}
_VERDICTS = {
    "same": ("no user moves", _GREEN), "differs": ("users move", _AMBER),
    "unknown": ("unknown", _GRAY),
}


def explanation(value: Mapping[str, Any], text: str) -> str:
    """A decision with its audiences, or one audience."""
    if "verdict" in value:
        return _page(_audience(value, True) + _changes(value))
    if "audiences" not in value:
        return _page(f"<pre>{escape(text)}</pre>")
    parts = [
        f"<b>{escape(value['placement'])}</b> {_outcome(value)} "
        f"<span style='color:{_GRAY}'>for {escape(value['userId'])}</span>"
    ]
    taken = value["audience"]
    parts += [_audience(one, one["index"] == taken) for one in value["audiences"]]
    if value["shares"]:
        parts.append(_shares(value))
    return _page("".join(parts))


def tally(counts: Mapping[str, Any]) -> str:
    """Returns a funnel for each placement."""
    parts = [f"<b>{counts['users']:,} users</b>, {counts['rejected']:,} rejected"]
    parts += [
        f"<div style='color:{_RED}'>{escape(found['message'])}</div>"
        for found in counts.get("warnings", ())
    ]
    for name, found in counts["placements"].items():
        outcomes = ", ".join(
            f"{escape(outcome)} {count:,}" for outcome, count in found["outcomes"].items() if count
        )
        rows = [
            [
                (str(one["index"]), _NUMBER), (f"{one['reached']:,}", _NUMBER),
                (f"{one['matched']:,}", _NUMBER), (f"{one['heldBack']:,}", _NUMBER),
                (f"{one['taken']:,}", _NUMBER),
                (_bar(one["taken"], one["matched"], one["reached"], counts["users"]), _CELL),
            ]
            for one in found["audiences"]
        ]
        names = ("audience", "reached", "matched", "held back", "taken", "")
        parts.append(
            f"<div style='margin-top:6px'><b>{escape(name)}</b> "
            f"<span style='color:{_GRAY}'>{outcomes}</span></div>{_table(names, rows)}"
        )
        parts += [
            f"<div style='color:{_RED}'>audience {error['audience']}: "
            f"{_code(error['clause'])} failed for {error['users']:,} users "
            f"({escape(error['code'])}, for example {escape(error['example'])})</div>"
            for error in found["errors"]
        ]
    return _page("".join(parts))


def differences(value: Mapping[str, Any]) -> str:
    """Returns the users that move, or the proofs that no user moves."""
    if "users" in value:
        return _page(_moves(value))
    parts = []
    for name, found in value["placements"].items():
        words, color = _VERDICTS.get(found["verdict"], (found["verdict"], _GRAY))
        parts.append(f"<div><b>{escape(name)}</b> {_pill(words, color)}</div>")
        rows = [
            [
                (_short(one["from"]), _CELL), (_short(one["to"]), _CELL),
                (escape(one["text"]), _CELL), (_code(_json(one["record"])), _CELL),
            ]
            for one in found["witnesses"]
        ]
        if rows:
            parts.append(_table(("from", "to", "why", "for example"), rows))
        parts += [
            f"<div style='color:{_GRAY}'>{escape(str(reason))}</div>"
            for reason in found.get("unknown", ())
        ]
    return _page("".join(parts) or "no placements")


def _moves(value: Mapping[str, Any]) -> str:
    parts = [f"<b>{value['moved']:,} of {value['users']:,} users move</b>"]
    for name, found in value["placements"].items():
        if not found["moved"]:
            continue
        rows = [
            [
                (_short(one["from"]), _CELL), (_short(one["to"]), _CELL),
                (f"{one['users']:,}", _NUMBER), (escape(one["example"]), _CELL),
                (escape(one["text"]), _CELL),
            ]
            for one in found["kinds"]
        ]
        parts.append(
            f"<div style='margin-top:6px'><b>{escape(name)}</b> {found['moved']:,} users</div>"
            + _table(("from", "to", "users", "for example", "why"), rows)
        )
    return "".join(parts)


def _audience(one: Mapping[str, Any], is_open: bool) -> str:
    code = one["reason"]["code"]
    words, color = _REASONS.get(code, (code, _GRAY))
    if "verdict" in one and code == "matched":
        words = "matches"
    name = one.get("name") or one.get("id") or one.get("experimentId") or ""
    said = one["reason"].get("error") or one["reason"].get("entitlement") or ""
    limit = one.get("limit")
    if limit and "count" in limit:
        said = f"{said} shown {limit['count']} times, at most {limit['of']}".strip()
    rows = [
        [_mark(clause), (_code(clause["text"]), _CELL), (_values(clause), _CELL)]
        for clause in one["clauses"] if not clause.get("constant")
    ]
    return (
        f"<details{' open' if is_open else ''} style='margin:4px 0'><summary>"
        f"audience {one['index']} <b>{escape(str(name))}</b> {_pill(words, color)} "
        f"<span style='color:{_GRAY}'>{escape(str(said))}</span></summary>"
        + (_table(("", "clause", "values"), rows) if rows else "")
        + "</details>"
    )


def _mark(clause: Mapping[str, Any]) -> tuple[str, str]:
    if not clause["reached"]:
        return f"<span style='color:{_GRAY}'>not needed</span>", _CELL
    words, color = _MARKS.get(clause["outcome"], (clause["outcome"], _GRAY))
    return f"<b style='color:{color}'>{escape(words)}</b>", _CELL


def _values(clause: Mapping[str, Any]) -> str:
    said = [f"{one['text']} is {_json(one.get('value'))}" for one in clause.get("computed", ())]
    for one in clause["reads"]:
        value = f"is {_json(one['value'])}" if "value" in one else "is missing"
        said.append(f"{one['path']} {value}")
    if clause.get("error"):
        said.append(str(clause["error"]))
    return escape(", ".join(dict.fromkeys(said)))


def _shares(value: Mapping[str, Any]) -> str:
    experiment = value["result"].get("experiment") or {}
    drawn = (experiment.get("variant") or {}).get("id")
    rows = []
    for one in value["shares"]:
        variant = (one["result"].get("experiment") or {}).get("variant") or {}
        name = escape(variant.get("id") or one["result"]["result"])
        if variant.get("id") == drawn:
            name = f"<b>{name}</b>"
        paywall = escape(variant.get("paywallId") or one["result"]["result"])
        rows.append([(name, _CELL), (paywall, _CELL), (f"{one['share']:.1%}", _NUMBER)])
    return _table(("variant", "paywall", "share"), rows)


def _changes(value: Mapping[str, Any]) -> str:
    changes = value.get("changes")
    if not changes:
        return ""
    rows = [
        [
            (_code(one["path"]), _CELL),
            (escape(_json(one["from"]) if "from" in one else "missing"), _CELL),
            (escape(_json(one["to"]) if "to" in one else "missing"), _CELL),
        ]
        for one in changes
    ]
    return "the smallest change after which it matches" + _table(("attribute", "from", "to"), rows)


def _outcome(value: Mapping[str, Any]) -> str:
    result = value["result"]
    variant = (result.get("experiment") or {}).get("variant") or {}
    color = _GREEN if value.get("paywall") else _GRAY
    words = value.get("paywall") or result["result"]
    shown = f" variant {escape(variant['id'])}" if variant else ""
    return _pill(words, color) + shown


def _short(one: Mapping[str, Any]) -> str:
    words = escape(one["paywall"] or one["result"])
    place = f"audience {one['audience']}" if one["audience"] is not None else ""
    parts = " · ".join(filter(None, (place, escape(one["variant"] or ""))))
    return f"<b>{words}</b>" + (f"<br><span style='color:{_GRAY}'>{parts}</span>" if parts else "")


def _bar(taken: int, matched: int, reached: int, users: int) -> str:
    """Returns a bar of all users that shows how many an audience took, matched and reached."""
    parts = ((taken, _GREEN), (matched - taken, _AMBER), (reached - matched, "#8885"))
    return (
        "<div style='display:flex;width:220px;height:12px;margin-top:3px'>"
        + "".join(
            f"<div style='width:{100 * max(count, 0) / max(users, 1):.2f}%;background:{color}'>"
            "</div>" for count, color in parts
        )
        + "</div>"
    )


def _table(names: Iterable[str], rows: Sequence[Sequence[tuple[str, str]]]) -> str:
    head = "".join(f"<th style='{_CELL};color:{_GRAY};font-weight:400'>{n}</th>" for n in names)
    body = "".join(
        "<tr>" + "".join(f"<td style='{style}'>{cell}</td>" for cell, style in row) + "</tr>"
        for row in rows[:_MOST_ROWS]
    )
    more = len(rows) - _MOST_ROWS
    said = f"<div style='color:{_GRAY}'>and {more:,} more</div>" if more > 0 else ""
    return f"<table style='{_TABLE}'><tr>{head}</tr>{body}</table>{said}"


def _pill(words: str, color: str) -> str:
    return (
        f"<span style='background:{color};color:white;border-radius:8px;padding:1px 8px;"
        f"font-size:90%'>{escape(words)}</span>"
    )


def _code(text: str) -> str:
    return f"<code style='background:none;white-space:pre-wrap'>{escape(text)}</code>"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _page(body: str) -> str:
    return f"<div style='font-size:13px;line-height:1.5'>{body}</div>"

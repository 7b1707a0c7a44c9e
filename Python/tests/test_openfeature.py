"""Tests the provider with OpenFeature's own client."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import rule, variant

import tollgate

pytest.importorskip("openfeature")


def test_flags(config: tollgate.Config) -> None:
    from openfeature import api
    from openfeature.evaluation_context import EvaluationContext
    from openfeature.exception import ErrorCode
    from openfeature.flag_evaluation import Reason

    from tollgate.openfeature import TollgateProvider

    api.set_provider(TollgateProvider(config))
    client = api.get_client()
    beta = EvaluationContext("u", {"tags": ["beta"]})
    nobody = EvaluationContext("u", {"tags": []})
    found = client.get_string_details("open", "standard", beta)
    assert (found.value, found.variant, found.reason) == ("annual", "v5", Reason.TARGETING_MATCH)
    found = client.get_string_details("open", "standard", nobody)
    assert (found.value, found.reason, found.error_code) == ("standard", Reason.DEFAULT, None)
    assert client.get_boolean_value("open", False, beta) is True
    assert client.get_boolean_value("open", True, nobody) is False
    value = client.get_object_value("open", {}, beta)
    assert value["paywall"] == "annual" and value["experiment"] == "tags"
    german = EvaluationContext("u", {"device": {"locale": "de_AT"}, "plan": "pro"})
    assert client.get_string_value("export", "x", german) == "monthly"
    split = {
        client.get_string_details(
            "export", "x", EvaluationContext(f"u{n}", {"plan": "free", "visits": 3})).reason
        for n in range(50)
    }
    assert split == {Reason.TARGETING_MATCH, Reason.SPLIT}
    assert client.get_string_details("opn", "x", beta).error_code == ErrorCode.FLAG_NOT_FOUND
    missing = client.get_string_details("open", "x", EvaluationContext())
    assert missing.error_code == ErrorCode.TARGETING_KEY_MISSING and missing.value == "x"
    assert client.get_integer_details("open", 3, beta).error_code == ErrorCode.TYPE_MISMATCH


def details(
    config: tollgate.Config, flag: str, context: dict[str, Any], kind: str = "string",
    default: Any = "x", **options: Any,
) -> Any:
    from openfeature import api
    from openfeature.evaluation_context import EvaluationContext

    from tollgate.openfeature import TollgateProvider

    api.set_provider(TollgateProvider(config, **options))
    get = getattr(api.get_client(), f"get_{kind}_details")
    return get(flag, default, EvaluationContext("u", context))


@pytest.mark.parametrize(("context", "trusted"), [
    ({"device": "iPhone"}, False), ({"user": "u"}, False), ({"params": [1]}, False),
    ({"events": 7}, True), ({"subscriptionStatus": 7}, True), ({"sessionStart": "now"}, True),
    ({"assignments": "v1"}, True), ({"device": 5}, True),
])
def test_contexts_that_are_no_records(
    config: tollgate.Config, context: dict[str, Any], trusted: bool
) -> None:
    from openfeature.exception import ErrorCode

    found = details(config, "open", {"tags": ["beta"], **context}, trust_context=trusted)
    assert found.error_code == ErrorCode.INVALID_CONTEXT and found.value == "x"
    assert next(iter(context)) in found.error_message
    if trusted and "device" not in context:
        # Without trust it is an attribute of the user.
        assert details(config, "open", {"tags": ["beta"], **context}).value == "annual"


def test_members_of_records_count_where_contexts_are_trusted(config: tollgate.Config) -> None:
    context = {
        "plan": "free", "visits": 3,
        "assignments": [{"experimentId": "free", "variantId": "v3"}]}
    assert details(config, "export", context, trust_context=True).variant == "v3"
    assert details(config, "export", {**context, "userId": "z"}).variant == details(
        config, "export", {"plan": "free", "visits": 3}).variant
    both = {"plan": "pro", "user": {"plan": "free", "visits": 3}}
    assert details(config, "export", both).variant is not None
    assert details(config, "export", {"user": {"tags": ["beta"]}, "tags": []}).value == "x"


def test_outcomes(config: tollgate.Config) -> None:
    from openfeature.exception import ErrorCode
    from openfeature.flag_evaluation import Reason

    made = tollgate.Config.loads({"build_id": "b", "trigger_options": [
        {"event_name": "broken", "rules": [rule("e", "true")]},
        {"event_name": "holdout", "rules": [rule("h", "true", variant("v", 100, None))]},
        {"event_name": "good", "rules": [rule("g", "true", variant("w", 100, "pw"))]},
        {"event_name": "none", "rules": [rule("n", "false", variant("z", 100, "pw"))]}]})
    for kind, default in [("string", "x"), ("boolean", True), ("object", {"a": 1})]:
        broken = details(made, "broken", {}, kind, default)
        assert (broken.error_code, broken.value) == (ErrorCode.GENERAL, default)
        assert "'broken' cannot be evaluated" in broken.error_message
    found = {
        (name, kind): details(made, name, {}, kind, default)
        for name in ("good", "holdout", "none")
        for kind, default in [("string", "x"), ("boolean", True), ("object", {})]}
    assert [found[name, "boolean"].value for name in ("good", "holdout", "none")] == [
        True, False, False]
    assert [found[name, "string"].value for name in ("good", "holdout", "none")] == ["pw", "x", "x"]
    assert [found[name, "object"].value.get("result") for name in ("good", "holdout", "none")] == [
        "paywall", "holdout", None]
    for name, reason in [
        ("good", Reason.TARGETING_MATCH), ("holdout", Reason.SPLIT), ("none", Reason.DEFAULT)
    ]:
        one = found[name, "string"]
        assert one.reason == reason and one.flag_metadata["placement"] == name
        assert one.flag_metadata.get("experiment") == (None if name == "none" else name[0])


def test_flags_of_the_server(config: tollgate.Config) -> None:
    """The flags beside a placement's name, and the contexts, are those of OFREP."""
    from openfeature import api
    from openfeature.evaluation_context import EvaluationContext
    from openfeature.exception import ErrorCode
    from openfeature.flag_evaluation import Reason

    from tollgate.openfeature import TollgateProvider

    api.set_provider(TollgateProvider(config))
    client = api.get_client()
    beta = EvaluationContext("u", {"tags": ["beta"]})
    nobody = EvaluationContext("u", {"tags": []})
    assert client.get_boolean_value("open.shown", False, beta) is True
    assert client.get_boolean_value("open.shown", True, nobody) is False
    assert client.get_object_value("open.outcome", {}, beta)["paywall"] == "annual"
    for key in ("open.shown", "open.outcome"):
        assert client.get_string_details(key, "x", beta).error_code == ErrorCode.TYPE_MISMATCH
    unknown = client.get_boolean_details("open.shwn", False, beta)
    assert unknown.error_code == ErrorCode.FLAG_NOT_FOUND
    found = client.get_string_details("open", "x", beta)
    assert found.flag_metadata == {
        "placement": "open", "audience": 0, "result": "paywall", "experiment": "tags"}
    # An attribute in 'user' takes precedence over the same one beside it.
    for attributes in (
        {"tags": [], "user": {"tags": ["beta"]}}, {"user": {"tags": ["beta"]}, "tags": []},
    ):
        assert client.get_string_value("open", "x", EvaluationContext("u", attributes)) == "annual"
    # A client cannot choose its variant, unless its context is trusted.
    drawn, chosen = set(), set()
    for number in range(40):
        context = EvaluationContext(f"u{number}", {"plan": "free", "visits": 3})
        first = client.get_string_details("export", "x", context)
        drawn.add(first.variant)
    for one in drawn:
        api.set_provider(TollgateProvider(config, trust_context=True))
        context = EvaluationContext("u1", {
            "plan": "free", "visits": 3,
            "assignments": [{
                "experimentId": first.flag_metadata["experiment"], "variantId": one}],
        })
        chosen.add(client.get_string_details("export", "x", context).variant)
        api.set_provider(TollgateProvider(config))
        usual = client.get_string_details("export", "x", context)
        assert usual.reason in (Reason.TARGETING_MATCH, Reason.SPLIT)
        plain = EvaluationContext("u1", {"plan": "free", "visits": 3})
        assert usual.variant == client.get_string_details("export", "x", plain).variant
    assert len(drawn) > 1 and chosen == drawn


@pytest.mark.parametrize("value", [object(), b"x", 1j, {1: object()}, range(3).__iter__])
def test_values_that_records_cannot_have(config: tollgate.Config, value: Any) -> None:
    from openfeature.exception import ErrorCode

    found = details(config, "open", {"x": value, "tags": ["beta"]})
    assert (found.value, found.error_code) == ("x", ErrorCode.INVALID_CONTEXT)
    assert "is not a value that rules know" in found.error_message

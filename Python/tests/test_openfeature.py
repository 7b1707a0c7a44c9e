"""The provider through OpenFeature's own client."""

from __future__ import annotations

import pytest

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
    for variant in drawn:
        api.set_provider(TollgateProvider(config, trust_context=True))
        context = EvaluationContext("u1", {
            "plan": "free", "visits": 3,
            "assignments": [{
                "experimentId": first.flag_metadata["experiment"], "variantId": variant}],
        })
        chosen.add(client.get_string_details("export", "x", context).variant)
        api.set_provider(TollgateProvider(config))
        usual = client.get_string_details("export", "x", context)
        assert usual.reason in (Reason.TARGETING_MATCH, Reason.SPLIT)
        plain = EvaluationContext("u1", {"plan": "free", "visits": 3})
        assert usual.variant == client.get_string_details("export", "x", plain).variant
    assert len(drawn) > 1 and chosen == drawn

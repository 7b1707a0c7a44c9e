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
    assert client.get_boolean_value("open", True, nobody) is True
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

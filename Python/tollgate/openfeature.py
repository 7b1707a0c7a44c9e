"""OpenFeature: placements as flags, decided in the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import (
    FlagNotFoundError,
    TargetingKeyMissingError,
    TypeMismatchError,
)
from openfeature.flag_evaluation import FlagResolutionDetails, Reason
from openfeature.provider import AbstractProvider, Metadata

from ._fields import fields
from .answers import Decision
from .config import Config


class TollgateProvider(AbstractProvider):
    """Placements as flags.

    A string flag is the identifier of the paywall, an object flag the whole outcome, and a boolean
    flag is true if there is a paywall. The variant is that of the experiment. Without a paywall the
    value is the default, with the reason ``DEFAULT`` if no audience matches and ``SPLIT`` for a
    holdout. ``targetingKey`` is the user. ``user``, ``device`` and ``params`` of the context are
    used as they are, and other keys are attributes of the user.
    """

    def __init__(self, config: Config, *, seed: str | None = None) -> None:
        super().__init__()
        self._config = config
        self._seed = seed

    def get_metadata(self) -> Metadata:
        return Metadata(name="tollgate")

    def get_provider_hooks(self) -> list[Any]:
        return []

    def resolve_boolean_details(
        self, flag_key: str, default_value: bool,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[bool]:
        found = self._decide(flag_key, evaluation_context)
        return self._details(found, found.paywall is not None, default_value)

    def resolve_string_details(
        self, flag_key: str, default_value: str,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[str]:
        found = self._decide(flag_key, evaluation_context)
        return self._details(found, found.paywall or default_value, default_value)

    def resolve_object_details(
        self, flag_key: str, default_value: Sequence[Any] | Mapping[str, Any],
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[Any]:
        found = self._decide(flag_key, evaluation_context)
        return self._details(found, fields(found), default_value)

    def resolve_integer_details(
        self, flag_key: str, default_value: int,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[int]:
        raise TypeMismatchError(f"'{flag_key}' is a placement: a text, an object, or true")

    def resolve_float_details(
        self, flag_key: str, default_value: float,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[float]:
        raise TypeMismatchError(f"'{flag_key}' is a placement: a text, an object, or true")

    def _decide(self, placement: str, context: EvaluationContext | None) -> Decision:
        if placement not in self._config.placements:
            raise FlagNotFoundError(f"the config has no placement '{placement}'")
        if context is None or not context.targeting_key:
            raise TargetingKeyMissingError("the targeting key is the user, and must be there")
        record: dict[str, Any] = {"userId": context.targeting_key, "user": {}}
        for name, value in context.attributes.items():
            if name in ("user", "device", "params") and isinstance(value, Mapping):
                record[name] = {**record.get(name, {}), **value}
            else:
                record["user"].setdefault(name, value)
        return self._config.decide(placement, record, seed=self._seed)

    @staticmethod
    def _details(found: Decision, value: Any, default: Any) -> FlagResolutionDetails[Any]:
        if found.paywall is None:
            split = found.result == "holdout"
            return FlagResolutionDetails(
                value=default, variant=found.variant or found.result,
                reason=Reason.SPLIT if split else Reason.DEFAULT,
            )
        return FlagResolutionDetails(
            value=value, variant=found.variant, reason=Reason.TARGETING_MATCH
        )

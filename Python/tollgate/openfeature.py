"""An OpenFeature provider with placements as flags, decided in the process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import (
    FlagNotFoundError,
    GeneralError,
    InvalidContextError,
    TargetingKeyMissingError,
    TypeMismatchError,
)
from openfeature.flag_evaluation import FlagResolutionDetails, Reason
from openfeature.provider import AbstractProvider, Metadata

from ._field_names import fields
from .answers import Decision
from .config import Config
from .errors import TollgateError

# The endings of a placement's additional flags, as in the server's OFREP.
_SHOWN, _OUTCOME = ".shown", ".outcome"
# Members of a user record that clients cannot set, unless the context is trusted.
_TRUSTED = (
    "subscriptionStatus", "entitlements", "assignments", "occurrences", "events", "sessionStart",
)


class TollgateProvider(AbstractProvider):
    """An OpenFeature provider whose flags have the names and values of the server's OFREP.

    - ``NAME``: as a string the identifier of the paywall, as an object the whole outcome, as a
      boolean whether there is a paywall. Without a paywall, the string has its default value.
    - ``NAME.shown``: a boolean, whether a paywall is shown.
    - ``NAME.outcome``: an object, the whole outcome; the default if no audience matches.

    The variant is the experiment's variant, or the result if there is no experiment. The reason is
    ``TARGETING_MATCH`` for a paywall, ``SPLIT`` for a holdout and ``DEFAULT`` if no audience
    matches. A placement that cannot be evaluated is an error.

    ``targetingKey`` is the user's ID. ``user``, ``device`` and ``params`` of the context have
    attributes as in a user record. Any other key is an attribute of the user, unless ``user`` has
    the same key.

    :param seed: overrides the seed of the config.
    :param trust_context: whether contexts may choose assignments, occurrences, events, entitlements
        and the subscription status. Otherwise these keys become attributes of the user.
    """

    def __init__(
        self, config: Config, *, seed: str | None = None, trust_context: bool = False
    ) -> None:
        super().__init__()
        self._config = config
        self._seed = seed
        self._taken = ("device", "params", *(_TRUSTED if trust_context else ()))

    def get_metadata(self) -> Metadata:
        return Metadata(name="tollgate")

    def get_provider_hooks(self) -> list[Any]:
        return []

    def resolve_boolean_details(
        self, flag_key: str, default_value: bool,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[bool]:
        placement, kind = self._flag(flag_key)
        if kind == _OUTCOME:
            raise TypeMismatchError(f"'{flag_key}' is an object")
        found = self._decide(placement, evaluation_context)
        return self._details(found, found.paywall is not None)

    def resolve_string_details(
        self, flag_key: str, default_value: str,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[str]:
        placement, kind = self._flag(flag_key)
        if kind:
            raise TypeMismatchError(f"'{flag_key}' is not a string; '{placement}' is")
        found = self._decide(placement, evaluation_context)
        return self._details(found, found.paywall or default_value)

    def resolve_object_details(
        self, flag_key: str, default_value: Sequence[Any] | Mapping[str, Any],
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[Any]:
        placement, kind = self._flag(flag_key)
        if kind == _SHOWN:
            raise TypeMismatchError(f"'{flag_key}' is a boolean")
        found = self._decide(placement, evaluation_context)
        has_value = found.paywall is not None or found.result == "holdout"
        return self._details(found, fields(found) if has_value else default_value)

    def resolve_integer_details(
        self, flag_key: str, default_value: int,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[int]:
        raise TypeMismatchError(f"'{flag_key}' is a placement: a string, an object or a boolean")

    def resolve_float_details(
        self, flag_key: str, default_value: float,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[float]:
        raise TypeMismatchError(f"'{flag_key}' is a placement: a string, an object or a boolean")

    def _flag(self, key: str) -> tuple[str, str]:
        """Returns the placement of a flag, and the ending of the flag's name."""
        placements = self._config.placements
        # The name of a placement may end like a flag of another placement.
        if key in placements:
            return key, ""
        for kind in (_SHOWN, _OUTCOME):
            if key.endswith(kind) and key.removesuffix(kind) in placements:
                return key.removesuffix(kind), kind
        raise FlagNotFoundError(f"the config has no placement '{key}'")

    def _decide(self, placement: str, context: EvaluationContext | None) -> Decision:
        if context is None or not context.targeting_key:
            raise TargetingKeyMissingError("the targeting key is missing; it is the user's ID")
        record: dict[str, Any] = {"userId": context.targeting_key}
        beside: dict[str, Any] = {}
        user: Mapping[str, Any] = {}
        for name, value in context.attributes.items():
            if name == "user":
                if not isinstance(value, Mapping):
                    raise InvalidContextError("'user' must be an object")
                user = value
            elif name in self._taken:
                record[name] = value
            elif name != "userId":
                beside[name] = value
        record["user"] = {**beside, **user}
        try:
            found = self._config.decide(placement, record, seed=self._seed)
        except (TollgateError, TypeError, ValueError) as error:
            # A TypeError means a value that records cannot have.
            raise InvalidContextError(str(error)) from error
        if found.result == "error":
            raise GeneralError(f"'{placement}' cannot be evaluated for this user")
        return found

    @staticmethod
    def _details(found: Decision, value: Any) -> FlagResolutionDetails[Any]:
        reasons = {"paywall": Reason.TARGETING_MATCH, "holdout": Reason.SPLIT}
        known = {
            "placement": found.placement, "audience": found.audience, "result": found.result,
            "experiment": found.experiment,
        }
        return FlagResolutionDetails(
            value=value, variant=found.variant or found.result,
            reason=reasons.get(found.result, Reason.DEFAULT),
            flag_metadata={name: value for name, value in known.items() if value is not None},
        )

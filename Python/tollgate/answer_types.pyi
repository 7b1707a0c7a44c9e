"""The types of a config's answers, for type checkers. This module does not exist at run time.

>>> TYPE_CHECKING = False
>>> if TYPE_CHECKING:
...     from tollgate.answer_types import CoverAnswer

Made by Tools/make_answer_types.py from corpus/schemas/requests.schema.json.
"""

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

ResultName: TypeAlias = Literal[
    "paywall",
    "holdout",
    "noAudienceMatch",
    "placementNotFound",
    "error",
    "undecidable",
]

class ExperimentVariant(TypedDict):
    id: str
    type: Literal["TREATMENT", "HOLDOUT"]
    paywallId: str

class Experiment(TypedDict):
    id: str
    groupId: str
    variant: ExperimentVariant

class TriggerResult(TypedDict):
    result: ResultName
    experiment: NotRequired[Experiment]
    error: NotRequired[str]
    code: NotRequired[Literal["aborts-app", "config-rejected"]]
    reason: NotRequired[str]

class ErrorsItem(TypedDict):
    audience: int
    clause: str
    code: str
    path: str | None

OutcomeCode: TypeAlias = Literal[
    "paywall",
    "holdout",
    "noAudienceMatch",
    "placementNotFound",
    "noVariants",
    "variantWithoutPaywall",
    "noExperiment",
    "experimentNotRunning",
]

class HeldBackItemLimit(TypedDict):
    key: str
    count: int
    of: int
    minutes: NotRequired[int]
    session: NotRequired[Literal[True]]

class HeldBackItem(TypedDict):
    audience: int
    limit: HeldBackItemLimit

class MissingItem(TypedDict):
    audience: int
    clause: str
    path: str
    countsAs: NotRequired[float | str | bool | None]
    matched: bool

class OwnedItem(TypedDict):
    audience: int
    entitlement: str

Draw = TypedDict(
    "Draw",
    {
        "number": float,
        "from": float | None,
        "to": float | None,
    },
)

class DecisionReason(TypedDict):
    code: OutcomeCode
    heldBack: NotRequired[list[HeldBackItem]]
    errors: NotRequired[list[ErrorsItem]]
    missing: NotRequired[list[MissingItem]]
    owned: NotRequired[list[OwnedItem]]
    draw: NotRequired[Draw]
    stored: NotRequired[Literal[True]]

AssignmentSource = TypedDict(
    "AssignmentSource",
    {
        "source": Literal["stored", "new", "only", "redrawn"],
        "from": NotRequired[str],
    },
)

AudienceReasonCode: TypeAlias = Literal[
    "matched",
    "expressionFalse",
    "expressionError",
    "occurrenceLimit",
    "entitled",
    "notReached",
]

class LimitUse(TypedDict):
    key: str
    of: int
    count: NotRequired[int]
    minutes: NotRequired[int]
    session: NotRequired[Literal[True]]
    times: NotRequired[list[str | int]]

class AudienceReason(TypedDict):
    code: AudienceReasonCode
    valueType: NotRequired[str]
    error: NotRequired[str]
    limit: NotRequired[LimitUse]
    entitlement: NotRequired[str]

Range = TypedDict(
    "Range",
    {
        "from": int,
        "to": int,
    },
)

class Read(TypedDict):
    path: str
    value: NotRequired[Any]
    presenceOnly: NotRequired[Literal[True]]

class Computed(TypedDict):
    text: str
    value: NotRequired[Any]

class Clause(TypedDict):
    text: str
    range: Range
    outcome: Literal["true", "false", "error", "value"]
    reached: bool
    reads: list[Read]
    error: NotRequired[str]
    value: NotRequired[Any]
    constant: NotRequired[Literal[True]]
    computed: NotRequired[list[Computed]]

class ExplainedAudience(TypedDict):
    index: int
    experimentId: str
    reason: AudienceReason
    expression: str | None
    clauses: list[Clause]
    id: NotRequired[str]
    name: NotRequired[str]
    entitlementGuard: NotRequired[str]
    limit: NotRequired[LimitUse]

class Share(TypedDict):
    result: TriggerResult
    probability: str
    share: float

class Effect(TypedDict):
    effect: Literal["storeAssignment", "confirmAssignment", "recordOccurrence", "fireTrigger"]
    experimentId: NotRequired[str]
    variantId: NotRequired[str]
    key: NotRequired[str]

class OwnedEntitlement(TypedDict):
    entitlement: str
    granted: NotRequired[bool]

class Subscription(TypedDict):
    entitlements: list[OwnedEntitlement]
    asked: bool
    status: NotRequired[str]

Change = TypedDict(
    "Change",
    {
        "path": str,
        "from": NotRequired[Any],
        "to": NotRequired[Any],
    },
)

class SweptOutcome(TypedDict):
    result: OutcomeCode
    audience: int | None
    variant: str | None
    paywall: str | None

class Explanation(TypedDict):
    userId: str
    now: str | int
    assigner: str
    placement: str
    result: TriggerResult
    audience: int | None
    paywall: str | None
    reason: DecisionReason
    assignment: None | AssignmentSource
    audiences: list[ExplainedAudience]
    shares: list[Share]
    effects: list[Effect]
    seed: NotRequired[str]
    sdk: NotRequired[dict[str, Any]]
    subscription: NotRequired[Subscription]
    set: NotRequired[list[Change]]
    without: NotRequired[SweptOutcome]

class PaywallProduct(TypedDict):
    slot: str
    attributes: dict[str, Any]
    productId: NotRequired[str]

Texts: TypeAlias = dict[str, str]

class Decision(TypedDict):
    userId: str
    placement: str
    result: TriggerResult
    audience: int | None
    paywall: str | None
    errors: NotRequired[list[ErrorsItem]]
    reason: NotRequired[DecisionReason]
    explanation: NotRequired[Explanation]
    products: NotRequired[list[PaywallProduct]]
    texts: NotRequired[Texts]

class DecideAnswer(TypedDict):
    decisions: list[Decision]

class AudienceExplanation(TypedDict):
    index: int
    experimentId: str
    reason: AudienceReason
    expression: str | None
    clauses: list[Clause]
    verdict: Literal["found", "none", "unknown"]
    changes: list[Change]
    excluded: int
    id: NotRequired[str]
    name: NotRequired[str]
    entitlementGuard: NotRequired[str]
    limit: NotRequired[LimitUse]
    follows: NotRequired[list[Change]]
    why: NotRequired[str]
    set: NotRequired[list[Change]]
    without: NotRequired[SweptOutcome]

Stretch = TypedDict(
    "Stretch",
    {
        "outcome": SweptOutcome,
        "from": NotRequired[Any],
        "after": NotRequired[Any],
        "to": NotRequired[Any],
        "before": NotRequired[Any],
        "startsWith": NotRequired[str],
    },
)

class SweptValue(TypedDict):
    outcome: SweptOutcome
    value: NotRequired[Any]
    absent: NotRequired[Literal[True]]
    others: NotRequired[Literal[True]]

class Sweep(TypedDict):
    path: str
    stretches: list[Stretch]
    values: list[SweptValue]
    now: NotRequired[Any]
    partial: NotRequired[Literal[True]]
    set: NotRequired[list[Change]]
    without: NotRequired[SweptOutcome]

class TextAnswer(TypedDict):
    text: str

ExplainAnswer: TypeAlias = (
    Explanation
    | list[Explanation]
    | AudienceExplanation
    | Sweep
    | TextAnswer
)

class ShortOutcome(TypedDict):
    result: ResultName
    audience: int | None
    variant: str | None
    paywall: str | None

Severity: TypeAlias = Literal["error", "warning", "note"]

class RelatedFinding(TypedDict):
    path: str
    message: str

class PeerEffect(TypedDict):
    sdks: list[str]
    severity: Severity
    consequence: Literal["rejects-config", "drops-element", "differs"]
    detail: NotRequired[str]

Edit = TypedDict(
    "Edit",
    {
        "from": int,
        "to": int,
        "text": str,
    },
)

class Fix(TypedDict):
    edits: list[Edit]
    safe: bool

class Diagnostic(TypedDict):
    code: str
    severity: Severity
    path: str
    message: str
    file: NotRequired[str]
    line: NotRequired[int]
    column: NotRequired[int]
    range: NotRequired[Range]
    expressionRange: NotRequired[Range]
    otherRanges: NotRequired[list[Range]]
    suggestion: NotRequired[str]
    related: NotRequired[list[RelatedFinding]]
    elsewhere: NotRequired[list[PeerEffect]]
    notes: NotRequired[list[str]]
    fix: NotRequired[Fix]
    witness: NotRequired[dict[str, Any]]

class SeverityCounts(TypedDict):
    error: int
    warning: int
    note: int

class CheckAnswer(TypedDict):
    diagnostics: list[Diagnostic]
    counts: SeverityCounts

MoveReason: TypeAlias = Literal[
    "condition",
    "weights",
    "limit",
    "order",
    "paywall",
    "added",
    "removed",
]

Move = TypedDict(
    "Move",
    {
        "from": ShortOutcome,
        "to": ShortOutcome,
        "users": int,
        "example": str,
        "reason": MoveReason,
        "text": str,
    },
)

class Moves(TypedDict):
    moved: int
    kinds: list[Move]

ConfigChangeKind: TypeAlias = Literal[
    "placement-added",
    "placement-removed",
    "audience-added",
    "audience-removed",
    "audience-moved",
    "condition",
    "entitlement",
    "limit",
    "experiment",
    "status",
    "variant-added",
    "variant-removed",
    "variant-order",
    "weight",
    "paywall",
]

AudienceNumbers = TypedDict(
    "AudienceNumbers",
    {
        "from": int | None,
        "to": int | None,
    },
)

ConfigChange = TypedDict(
    "ConfigChange",
    {
        "placement": str,
        "change": ConfigChangeKind,
        "text": str,
        "audience": NotRequired[AudienceNumbers],
        "from": NotRequired[str],
        "to": NotRequired[str],
        "clausesRemoved": NotRequired[list[str]],
        "clausesAdded": NotRequired[list[str]],
    },
)

class UserDifferences(TypedDict):
    users: int
    rejected: int
    moved: int
    placements: dict[str, Moves]
    changes: list[ConfigChange]

Witness = TypedDict(
    "Witness",
    {
        "record": dict[str, Any],
        "from": ShortOutcome,
        "to": ShortOutcome,
        "reason": MoveReason,
        "text": str,
    },
)

class PlacementDifference(TypedDict):
    verdict: Literal["same", "differs", "unknown"]
    witnesses: list[Witness]
    unknown: NotRequired[list[str]]

class ConfigDifferences(TypedDict):
    placements: dict[str, PlacementDifference]
    changes: list[ConfigChange]

DiffAnswer: TypeAlias = UserDifferences | ConfigDifferences

Claim = TypedDict(
    "Claim",
    {
        "path": NotRequired[str],
        "claim": str,
        "product": NotRequired[str],
        "slot": NotRequired[str],
        "verdict": Literal["true", "false", "false-if-ineligible", "unknown"],
        "reason": NotRequired[str],
        "words": str,
        "sentence": str,
        "locale": str,
        "selected": NotRequired[str],
        "from": int,
        "to": int,
    },
)

class RenderedTemplate(TypedDict):
    text: str | None
    isComplete: bool
    errors: list[Diagnostic]
    claims: NotRequired[list[Claim]]

class RenderedPaywall(TypedDict):
    texts: dict[str, str]
    errors: list[str]
    claims: NotRequired[list[Claim]]

class ClaimsAnswer(TypedDict):
    claims: list[Claim]

RenderAnswer: TypeAlias = RenderedTemplate | RenderedPaywall | ClaimsAnswer

class OutcomeCounts(TypedDict):
    paywall: int
    holdout: int
    noAudienceMatch: int
    placementNotFound: int
    error: int

class Examples(TypedDict):
    reached: NotRequired[str]
    owned: NotRequired[str]
    failed: NotRequired[str]
    matched: NotRequired[str]
    heldBack: NotRequired[str]
    taken: NotRequired[str]

class MatchedVariant(TypedDict):
    variant: str
    result: ResultName
    paywall: str | None
    users: int
    stored: int
    probability: NotRequired[str]
    share: NotRequired[float]
    expected: NotRequired[str]
    expectedUsers: NotRequired[float]
    example: NotRequired[str]

class MissingAttribute(TypedDict):
    clause: str
    path: str
    countsAs: NotRequired[float | str | bool | None]
    matched: int
    unmatched: int
    matchedExample: NotRequired[str]
    unmatchedExample: NotRequired[str]

class MatchedAudience(TypedDict):
    index: int
    reached: int
    matched: int
    taken: int
    heldBack: int
    failed: int
    examples: Examples
    variants: list[MatchedVariant]
    limit: NotRequired[LimitUse]
    owned: NotRequired[int]
    entitlement: NotRequired[str]
    missing: NotRequired[list[MissingAttribute]]

class CountedError(TypedDict):
    audience: int
    clause: str
    code: str
    path: str | None
    users: int
    example: str

class MatchedPlacement(TypedDict):
    outcomes: OutcomeCounts
    audiences: list[MatchedAudience]
    unmatched: int
    errors: list[CountedError]
    more: NotRequired[int]
    unmatchedExample: NotRequired[str]

class MatchAnswer(TypedDict):
    users: int
    rejected: int
    placements: dict[str, MatchedPlacement]

class Gap(TypedDict):
    count: str
    verdict: Literal["closable", "impossible", "unknown"]
    reason: NotRequired[str]

class CoveredAudience(TypedDict):
    placement: str
    audience: int
    reached: int
    taken: int
    gaps: NotRequired[list[Gap]]

class CoveredClause(TypedDict):
    placement: str
    audience: int
    text: str
    true: int
    false: int
    decides: int
    decidesTrue: int
    decidesFalse: int
    range: NotRequired[Range]
    line: NotRequired[int]
    column: NotRequired[int]
    expressionRange: NotRequired[Range]
    gaps: NotRequired[list[Gap]]

class CoveredLimit(TypedDict):
    placement: str
    audience: int
    key: str
    of: int
    usedUp: NotRequired[int]
    lastTime: NotRequired[int]
    longAgo: NotRequired[int]
    gaps: NotRequired[list[Gap]]

class CoveredOwners(TypedDict):
    placement: str
    audience: int
    entitlement: str
    passedOver: int
    gaps: NotRequired[list[Gap]]

class CoveredVariant(TypedDict):
    placement: str
    audience: int
    variant: str
    users: int
    gaps: NotRequired[list[Gap]]

class CoveredText(TypedDict):
    paywall: str
    name: str
    shown: int
    gaps: NotRequired[list[Gap]]

class CoverAnswer(TypedDict):
    audiences: list[CoveredAudience]
    clauses: list[CoveredClause]
    tests: int
    exercised: int
    points: int
    impossible: int
    share: float
    limits: NotRequired[list[CoveredLimit]]
    owners: NotRequired[list[CoveredOwners]]
    variants: NotRequired[list[CoveredVariant]]
    texts: NotRequired[list[CoveredText]]

class TimelinePeriod(TypedDict):
    unit: Literal["day", "week", "month", "year"]
    count: int

class TimelinePhase(TypedDict):
    mode: Literal["free", "payAsYouGo", "payUpFront", "regular", "once"]
    price: str
    period: NotRequired[TimelinePeriod]
    cycles: NotRequired[int]
    startDate: str
    endDate: NotRequired[str]

class Timeline(TypedDict):
    currency: str
    renews: bool
    chargedToday: str
    totalInFirstYear: NotRequired[str]
    endOfOffer: NotRequired[str]
    commitment: NotRequired[TimelinePeriod]
    phases: list[TimelinePhase]

class OfferTimeline(TypedDict):
    type: Literal["introductory", "promotional", "winBack", "code", "play", "purchaseOption"]
    id: NotRequired[str]
    name: NotRequired[str]
    timeline: Timeline

class ProductSheet(TypedDict):
    identifier: str
    profile: str
    slot: NotRequired[str]
    error: NotRequired[str]
    attributes: NotRequired[dict[str, Any]]
    additions: NotRequired[dict[str, Any]]
    aboveExact: NotRequired[list[str]]
    caveats: NotRequired[dict[str, list[str]]]
    timeline: NotRequired[Timeline]
    offers: NotRequired[list[OfferTimeline]]

class ProductsAnswer(TypedDict):
    products: list[ProductSheet]
    diagnostics: list[Diagnostic]
    localeData: str

class RequestError(TypedDict):
    code: str
    message: str
    path: NotRequired[str]
    offset: NotRequired[int]
    hint: NotRequired[str]
    line: NotRequired[int]
    diagnostics: NotRequired[list[Diagnostic]]
    faults: NotRequired[list[str]]

"""What an action needs before it may be done: nothing, somebody's yes, or that it is never done.

The one rule: exactly one rule of a policy applies, and what no rule names is forbidden. A `Need` is complete: stored
with a pause, it says who is asked, for how long, what silence means and how far the world may move, without the policy
it came from. Reading policies is in policy_file, judging them in policy_lint.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Self

from engine.rules.money import Money

Kind = Literal["allow", "ask", "forbid"]
Direction = Literal["both", "up", "down"]

ANY_OTHER = "any other"
"""As the currency of a rule: every currency that no other rule of the action names."""

NO_RULE = "no rule"
"""As the rule of a need: the action or its currency is named by none."""

_STRICTNESS: Mapping[Kind, int] = {"allow": 0, "ask": 1, "forbid": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Where a pause goes when nobody answered: exactly one of a person, a role, or somebody's manager at that time."""

    person: str | None = None
    role: str | None = None
    manager_of: Literal["approver", "requester"] | None = None
    answer_within_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What one action needs. Times are in seconds; a tolerance is in hundredths of a percent.

    Exactly one of `person` and `role` is set if `kind` is "ask"; otherwise neither is, and the times of asking are
    zero. `execute_within_s` counts from the approval. `why` is a sentence for a person. `doubt_role` is whom to ask
    when nobody can tell whether the effect happened; only a forbidden action has none.
    """

    kind: Kind
    policy_version: str
    rule: str
    why: str
    person: str | None = None
    role: str | None = None
    approvers: int = 0
    answer_within_s: int = 0
    on_expiry: Literal["deny", "escalate"] = "deny"
    steps: tuple[Step, ...] = ()
    final: Literal["deny"] = "deny"
    tolerance_bp: int = 0
    direction: Direction = "both"
    execute_within_s: int = 0
    remind_after_s: int | None = None
    channel: str | None = None
    doubt_role: str | None = None

    def to_document(self) -> dict[str, Any]:
        """A JSON-safe document that `from_document` reads back to an equal need."""
        return {name: getattr(self, name) for name in self.__slots__} | {"steps": [asdict(step) for step in self.steps]}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_document` wrote. Raises TypeError for a key it does not know or misses."""
        steps = tuple(Step(**step) for step in document.get("steps", ()))
        return cls(**{**document, "steps": steps})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: for amounts of a currency above `over` and up to `up_to`, in minor units, the need holds.

    `over` is None from zero on, `up_to` None without end. `currency` is None for an action without money, or ANY_OTHER.
    `line` is where the document has it, for faults.
    """

    name: str
    action: str
    currency: str | None
    over: int | None
    up_to: int | None
    need: Need
    line: int | None = field(default=None, compare=False)

    def covers(self, minor: int) -> bool:
        """Whether the amount is in the band: `over` is outside it, `up_to` inside."""
        return (self.over is None or minor > self.over) and (self.up_to is None or minor <= self.up_to)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A version of the policy: its name and its rules in the order of the document."""

    version: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a policy looks at. `amount` is None for an action without money, or if it could not be found out."""

    action: str
    amount: Money | None = None
    payee: str | None = None


def evaluate(policy: Policy, facts: Facts) -> Need:
    """The need of the one rule that applies; a need of kind "forbid", with NO_RULE, if none does.

    Without an amount, a rule without currency applies; if the action has only rules with currencies, the strictest of
    them that is not "allow", since an unknown amount may be any amount.
    """
    rules = [rule for rule in policy.rules if rule.action == facts.action]
    if facts.amount is None:
        plain = [rule for rule in rules if rule.currency is None]
        return plain[0].need if plain else _unknown_amount(policy, facts, rules)
    named = [rule for rule in rules if rule.currency == facts.amount.currency]
    others = [rule for rule in rules if rule.currency == ANY_OTHER]
    for rule in named or others:
        if rule.covers(facts.amount.minor):
            return rule.need
    return _unnamed(policy, f'"{facts.action}" in {facts.amount.currency}' if rules else f'"{facts.action}"')


def stricter(recorded: Need, present: Need) -> Need:
    """The need that holds at execution: the recorded one, unless the present policy asks for more.

    More is: a kind further from "allow"; another person or role; more approvers. The tolerance is that of the need
    returned: a caller that honours both checks both.
    """
    return recorded if needs_asking_again(recorded, present) is None else present


def needs_asking_again(recorded: Need, present: Need, voters: Collection[str] = ()) -> str | None:
    """A sentence saying why what was approved is no longer enough; None if it is.

    `voters` are the ids of those who said yes: a person the present policy names need not be asked what they answered.
    """
    by = f'rule "{present.rule}" of {present.policy_version}'
    if _STRICTNESS[present.kind] > _STRICTNESS[recorded.kind]:
        return f"The policy is stricter now: {present.why}"
    if present.kind != "ask" or recorded.kind != "ask":
        return None
    same = (present.person, present.role) == (recorded.person, recorded.role)
    if not same and present.person not in voters:
        return f"The policy asks {who(present)} now, not {who(recorded)} ({by})."
    if present.approvers > recorded.approvers:
        return f"The policy asks for {present.approvers} approvers now, not {recorded.approvers} ({by})."
    return None


def within_tolerance(approved: Money, now: Money, tolerance_bp: int, direction: Direction) -> bool:
    """Whether a price that moved is still what was approved, exactly, with the bound itself inside.

    `direction` says which way it may move at all: with "up", a fall of any size is outside. Another currency always is.
    """
    if now.currency != approved.currency:
        return False
    moved = now.minor - approved.minor
    if (direction == "up" and moved < 0) or (direction == "down" and moved > 0):
        return False
    return abs(moved) * 10_000 <= approved.minor * tolerance_bp


def who(need: Need) -> str:
    """Who is asked, for a sentence: "marta", or "one person with the role finance-approver"."""
    if need.person:
        return need.person
    count = "one person" if need.approvers == 1 else f"{need.approvers} people"
    return f"{count} with the role {need.role}"


def strictness(need: Need) -> tuple[int, int]:
    """Orders needs: allow, then ask with ever more approvers, then forbid."""
    return (_STRICTNESS[need.kind], need.approvers)


def _unknown_amount(policy: Policy, facts: Facts, rules: list[Rule]) -> Need:
    candidates = [rule for rule in rules if rule.need.kind != "allow"]
    if not candidates:
        return _unnamed(policy, f'"{facts.action}" without an amount' if rules else f'"{facts.action}"')
    strictest = max(candidates, key=lambda rule: (*strictness(rule.need), -1 if rule.over is None else rule.over))
    why = f"The amount is not known, so the strictest rule holds. {strictest.need.why}"
    return replace(strictest.need, why=why)


def _unnamed(policy: Policy, what: str) -> Need:
    why = f"No rule of {policy.version} names {what}, so it is forbidden until the owner of the policy adds one."
    return Need(kind="forbid", policy_version=policy.version, rule=NO_RULE, why=why)

"""What a pause holds and asks, once and for all. `Content` is the one document its digest covers; nothing of it is ever recomputed."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal, Self

from engine.rules import secrecy
from engine.rules.money import Money
from engine.rules.needs import Need


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One argument as the approver reads it. `detail`: it may leave the card for Details."""

    label: str
    value: str
    detail: bool = False


def with_amount(amount: Money | None, lines: Iterable[Line]) -> tuple[Line, ...]:
    """The lines as they are read: the amount first, unless one of them says it."""
    listed = tuple(lines)
    said = amount is None or any(line.value == str(amount) for line in listed)
    return listed if said else (Line(label="Amount", value=str(amount)), *listed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What something costs now, by its seller. `valid_until` None: it does not lapse."""

    price: Money
    valid_until: datetime | None = None
    reference: str | None = None

    def to_document(self) -> dict[str, Any]:
        """The JSON form, which `from_document` reads back to an equal value."""
        until = self.valid_until.isoformat() if self.valid_until else None
        return {"price": self.price.to_document(), "valid_until": until, "reference": self.reference}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_document` wrote."""
        until = document["valid_until"]
        return cls(
            price=Money.from_document(document["price"]),
            valid_until=datetime.fromisoformat(until) if until else None,
            reference=document["reference"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded:
    """What a request replaces: which pause, why it is asked again, and the price that was approved then."""

    pause_id: str
    why: str
    was: Money | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """What an approver must type to say yes: `typed`, which is of the amount ("amount") or the end of the argument that `of` names."""

    of: str
    typed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a pause holds, once and for all: the exact action, what the approver reads, the authority, the answer in advance.

    Its canonical text is stored, and `digest` is made over that text; nothing of it is ever recomputed. `shown_at` is when those who are asked
    first are shown it, with what else came in; None: at once. `secrets` are the arguments that nobody is shown.
    """

    run_id: str
    step: int
    n: int
    agent: str
    tool: str
    tool_version: str
    tool_use_id: str
    title: str
    arguments: Mapping[str, Any]
    action_digest: str
    fingerprint: str
    effect_key: str
    summary: str
    lines: tuple[Line, ...]
    explanation: str
    amount: Money | None
    acts_as: str
    on_behalf_of: str
    scopes: tuple[str, ...]
    need: Need
    quote: Quote | None
    supersedes: Superseded | None
    confirm: Confirmation | None = None
    shown_at: datetime | None = None
    secrets: tuple[str, ...] = ()

    def readable(self, value: Any) -> Any:
        """Text or a JSON value that is shown with this request, in which none of its secrets can be read."""
        return secrecy.without(secrecy.values(self.arguments, self.secrets), value)

    @property
    def shown_arguments(self) -> dict[str, Any]:
        """The arguments as people read them: a mark in place of what is secret."""
        return secrecy.masked(self.arguments, self.secrets)

    @property
    def choices(self) -> tuple[str, ...] | None:
        """What a question offers to choose among, nothing if it offers none; None: it is no question, and asks for a yes."""
        return tuple(self.arguments["choices"]) if self.need.is_question else None

    def to_document(self) -> dict[str, Any]:
        """The one document of the pause, JSON-safe, as its digest covers it."""
        need = self.need
        since_v1 = {  # the release before knows no such keys
            **({"confirm": asdict(self.confirm)} if self.confirm else {}),
            **({"shown_at": self.shown_at.isoformat()} if self.shown_at else {}),
            **({"secrets": list(self.secrets)} if self.secrets else {}),
        }
        return {
            "run_id": self.run_id,
            "step": self.step,
            "n": self.n,
            "agent": self.agent,
            "tool_version": self.tool_version,
            "tool_use_id": self.tool_use_id,
            "title": self.title,
            "proposed_action": {"tool": self.tool, "arguments": dict(self.arguments)},
            "action_digest": self.action_digest,
            "fingerprint": self.fingerprint,
            "effect_key": self.effect_key,
            "summary": self.summary,
            "lines": [asdict(line) for line in self.lines],
            "explanation": self.explanation,
            "amount": self.amount.to_document() if self.amount else None,
            "authorisation": {
                "acts_as": self.acts_as,
                "on_behalf_of": self.on_behalf_of,
                "scopes": list(self.scopes),
                "policy_version": need.policy_version,
                "rule": need.rule,
                "requires_role": need.role,
                "requires_person": need.person,
                "approvals_needed": need.approvers,
            },
            "need": need.to_document(),
            "execute_within_s": need.execute_within_s,
            "on_expiry": need.on_expiry,
            "quote": self.quote.to_document() if self.quote else None,
            "supersedes": (
                {
                    "pause_id": self.supersedes.pause_id,
                    "why": self.supersedes.why,
                    "was": self.supersedes.was.to_document() if self.supersedes.was else None,
                }
                if self.supersedes
                else None
            ),
        } | since_v1

    @classmethod
    def from_document(cls, doc: Mapping[str, Any]) -> Self:
        """Read what `to_document` wrote. Raises KeyError or ValueError for anything else."""
        grant, before = doc["authorisation"], doc["supersedes"]
        return cls(
            **{
                k: doc[k]
                for k in (
                    "run_id",
                    "step",
                    "n",
                    "agent",
                    "tool_version",
                    "tool_use_id",
                    "title",
                    "action_digest",
                    "fingerprint",
                    "effect_key",
                    "summary",
                    "explanation",
                )
            },
            tool=doc["proposed_action"]["tool"],
            arguments=doc["proposed_action"]["arguments"],
            lines=tuple(Line(**line) for line in doc["lines"]),
            amount=Money.from_document(doc["amount"]) if doc["amount"] else None,
            acts_as=grant["acts_as"],
            on_behalf_of=grant["on_behalf_of"],
            scopes=tuple(grant["scopes"]),
            need=Need.from_document(doc["need"]),
            quote=Quote.from_document(doc["quote"]) if doc["quote"] else None,
            supersedes=(
                Superseded(
                    pause_id=before["pause_id"],
                    why=before["why"],
                    was=Money.from_document(before["was"]) if before["was"] else None,
                )
                if before
                else None
            ),
            confirm=Confirmation(**doc["confirm"]) if "confirm" in doc else None,
            shown_at=datetime.fromisoformat(doc["shown_at"]) if "shown_at" in doc else None,
            secrets=tuple(doc.get("secrets", ())),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCard:
    """Where a pause is to be shown: dest is "channel:C0BUY" or "person:marta" (a DM). `not_before` None: at once.

    `digest_at` is the hour at which it is shown together with what else is to be shown there then; None: by itself.
    """

    kind: Literal["approver", "requester"]
    dest: str
    not_before: datetime | None = None
    digest_at: datetime | None = None

"""The policies and people of the stateful test, as the model knows them and as finance would write them. Values only."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class Need:
    """What an amount needs; hours to answer within, and to carry it out within."""

    kind: str
    who: str = ""
    approvers: int = 0
    steps: tuple[str, ...] = ()
    answer_h: int = 4
    execute_h: int = 24


@dataclass
class Person:
    """One of the people; `pays`: an agent may pay in their name; `slack`: what Slack says of them; `seen`: what it said, and when."""

    roles: set[str] = field(default_factory=set)
    active: bool = True
    pays: bool = True
    slack: str = "member"
    seen: tuple[str, int] | None = None


FINANCE: Final = "role:finance-approver"
LEAD: Final = "role:finance-lead"
ONE: Final = Need("ask", FINANCE, 1)
TWO: Final = Need("ask", FINANCE, 2, steps=(LEAD,))
MARTA: Final = Need("ask", "person:marta", 1, steps=("manager",), execute_h=72)
ALLOW, FORBID = Need("allow"), Need("forbid")

POLICIES: Final[dict[str, tuple[tuple[int | None, Need], ...]]] = {
    "plain": ((1_000_00, ALLOW), (10_000_00, ONE), (50_000_00, MARTA), (None, TWO)),
    "stricter": ((500_00, ALLOW), (5_000_00, ONE), (50_000_00, TWO), (None, FORBID)),
    "looser": ((20_000_00, ALLOW), (None, ONE)),
}
"""By the amount up to which each need holds, in cents."""

AMOUNTS: Final = (640_00, 7_200_00, 38_000_00, 60_000_00)
MANAGERS: Final = {"priya": "marta", "marta": "otto", "otto": "ines", "jonas": "ines"}
USERS: Final = {
    "priya": "U0PRIYA", "marta": "U0MARTA", "otto": "U0OTTO", "ines": "U0INES", "jonas": "U0JONAS", "lena": "U0LEFT", "gero": "U0GUEST",
}  # fmt: skip
"""By their names in Slack; Gero is a guest, and nobody's row."""


def everybody() -> dict[str, Person]:
    """Who there is before anything happens. Lena has left; Jonas decides on nothing."""
    finance, lead = FINANCE[5:], LEAD[5:]
    return {
        "priya": Person(),
        "marta": Person({finance}),
        "otto": Person({finance, lead, "operator"}),
        "ines": Person({finance, lead}),
        "jonas": Person(),
        "lena": Person({finance}, active=False),
    }


def stricter_why(recorded: Need, present: Need, voters: Sequence[str] = ()) -> bool:
    """Whether what was approved is no longer enough: another kind, other people who have not said yes, or more of them."""
    order = ("allow", "ask", "forbid")
    if recorded.kind != present.kind or present.kind != "ask":
        return order.index(present.kind) > order.index(recorded.kind)
    others = present.who != recorded.who and present.who.removeprefix("person:") not in voters
    return others or present.approvers > recorded.approvers


def people_document() -> str:
    """As people.toml has them."""
    tables = []
    for name, person in everybody().items():
        manager = f'manager = "{MANAGERS[name]}"\n' if name in MANAGERS else ""
        roles = ", ".join(f'"{role}"' for role in sorted(person.roles))
        tables.append(
            f'[[person]]\nid = "{name}"\nname = "{name.title()}"\nslack = ["T0ACME:{USERS[name]}"]\n{manager}'
            f'roles = [{roles}]\nactive = {str(person.active).lower()}\nscopes = ["payments:write"]\n'
        )
    return "\n".join(tables)


def policy_document(name: str, version: str) -> str:
    """As policy.toml has it, under a version's name."""
    tables, over = [f'version = "{version}"'], None
    for number, (up_to, need) in enumerate(POLICIES[name]):
        band = [f'over = "{over / 100:.2f}"'] if over else []
        band += [f'up_to = "{up_to / 100:.2f}"'] if up_to else []
        lines = [
            f'name = "band {number}"',
            'action = "payment"',
            'currency = "EUR"',
            *band,
            f'need = "{need.kind}"',
            *_asking(need),
        ]
        tables.append("\n".join(["[[rule]]", *lines]))
        over = up_to
    return "\n\n".join(tables)


def _asking(need: Need) -> list[str]:
    doubt = [f'doubt_role = "{FINANCE[5:]}"'] if need.kind != "forbid" else []
    if need.kind != "ask":
        return doubt
    kind, _, name = need.who.partition(":")
    steps = ", ".join(
        '{ manager_of = "approver" }' if s == "manager" else f'{{ role = "{s[5:]}" }}' for s in need.steps
    )
    return [
        *doubt, f'{kind} = "{name}"', *([f"approvers = {need.approvers}"] if kind == "role" else []), f'answer_within = "{need.answer_h}h"',
        f'execute_within = "{need.execute_h}h"', 'tolerance = { percent = "2", direction = "both" }', 'channel = "C0BUY"',
        *(['on_expiry = "escalate"', f"escalate = [{steps}]"] if steps else ['on_expiry = "deny"']),
    ]  # fmt: skip

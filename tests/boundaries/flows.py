"""Every flow of which no death may break a promise, named in one place: what is given, what happens, and how it must end."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from bot.sandbox.buyer import buyer
from bot.sandbox.model import Script
from tests.boundaries import acts, asking
from tests.boundaries.acts import asked, nothing
from tests.boundaries.ground import POLICY
from tests.boundaries.scene import Scene

Act = Callable[[Scene], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """`given` comes about undisturbed, `happens` is killed at every boundary. `run`, `pauses` and `paid` (minor units) are its end.

    `runs`: how many there are then, all with the same end.
    """

    given: Act
    happens: Act
    run: str
    pauses: tuple[str, ...]
    paid: tuple[int, ...]
    script: Script = buyer
    runs: int = 1
    strays: int = 0
    """Copies of a card that no row knows of, because Slack lost the answer to their post."""
    policy: str | None = None
    sealed: bool = False
    """Whether there is a PLACET_SEAL_KEY."""


QUORUM: Final = re.sub(
    r'person = "marta".*?finally = "deny"',
    'role = "finance-approver"\napprovers = 2\nanswer_within = "4h"\non_expiry = "deny"',
    POLICY,
    flags=re.DOTALL,
)
TYPED: Final = POLICY.replace('person = "marta"', 'person = "marta"\nconfirm = "payment_method"')
REMINDED: Final = POLICY.replace('person = "marta"', 'person = "marta"\nremind_after = "1h"')
DAILY: Final = re.sub(
    r'(person = "marta"\n)answer_within = "4h"',
    r'\1digest = "08:30"\nanswer_within = "2 business days"',
    POLICY.replace(
        'version = "fin-approvals-v4"\n',
        'version = "fin-approvals-v4"\n\n[calendar]\ntime_zone = "UTC"\nhours = "09:00-17:00"\n',
    ),
)
TOGETHER: Final = f'{POLICY}\n[spend_window]\npayment = "24h"\n'
ASKING: Final = POLICY + asking.rule("4h")
BIG, DEARER = 3_800_000, 3_990_000

FLOWS: Final[Mapping[str, Flow]] = {
    "launch, ask and show": Flow(given=nothing, happens=asked, run="awaiting_approval", pauses=("waiting",), paid=()),
    "an order under the limit": Flow(given=nothing, happens=acts.small_order, run="done", pauses=(), paid=(64_000,)),
    "approve and pay": Flow(given=asked, happens=acts.approve, run="done", pauses=("executed",), paid=(BIG,)),
    "approve and pay, sealed": Flow(given=asked, happens=acts.approve, run="done", pauses=("executed",), paid=(BIG,), sealed=True),
    "deny with a reason": Flow(given=asked, happens=acts.deny, run="done", pauses=("denied",), paid=()),
    "asked back": Flow(given=asked, happens=acts.ask_back, run="awaiting_approval", pauses=("waiting",), paid=()),
    "two votes": Flow(given=asked, happens=acts.vote, run="done", pauses=("executed",), paid=(BIG,), policy=QUORUM, sealed=True),
    "escalate, and the manager approves": Flow(given=asked, happens=acts.escalate, run="done", pauses=("executed",), paid=(BIG,)),
    "expire to the end": Flow(given=asked, happens=acts.expire, run="done", pauses=("expired",), paid=()),
    "withdraw": Flow(given=asked, happens=acts.withdraw, run="done", pauses=("cancelled",), paid=()),
    "asked again": Flow(given=acts.lapsed, happens=acts.ask_again, run="done", pauses=("executed", "expired"), paid=(DEARER,), runs=2),
    "the price moved: supersede, ask again": Flow(given=asked, happens=acts.moved, run="done", pauses=("superseded", "executed"), paid=(DEARER,)),
    "hold and resume": Flow(given=asked, happens=acts.hold, run="done", pauses=("executed",), paid=(BIG,)),
    "cancel the run": Flow(given=asked, happens=acts.cancel, run="cancelled", pauses=("cancelled",), paid=()),
    "the provider's answer is lost": Flow(given=asked, happens=acts.lost_answer, run="done", pauses=("executed",), paid=(BIG,)),
    "the call to the provider is lost": Flow(given=asked, happens=acts.lost_request, run="done", pauses=("executed",), paid=(BIG,)),
    "the provider is asked whether it happened": Flow(given=asked, happens=acts.looked_up, run="done", pauses=("executed",), paid=(BIG,)),
    "in doubt until a person knows": Flow(given=asked, happens=acts.doubt, run="done", pauses=("executed",), paid=(BIG,), sealed=True),
    "in doubt, and said in Slack": Flow(given=acts.doubted, happens=acts.say_it_happened, run="done", pauses=("executed",), paid=(BIG,)),
    "typed to approve": Flow(given=asked, happens=acts.confirm, run="done", pauses=("executed",), paid=(BIG,), policy=TYPED),
    "reminded of what waits": Flow(given=nothing, happens=asked, run="awaiting_approval", pauses=("waiting",), paid=(), policy=REMINDED),
    "a small order that counts with others": Flow(given=nothing, happens=acts.small_order, run="done", pauses=(), paid=(64_000,), policy=TOGETHER),
    "a delegate answers": Flow(given=asked, happens=acts.delegate, run="done", pauses=("executed",), paid=(BIG,)),
    "one winner, and private answers to the losers": Flow(given=asked, happens=acts.losers, run="done", pauses=("executed",), paid=(BIG,)),
    "a card whose post nobody confirmed": Flow(given=nothing, happens=acts.lost_post, run="done", pauses=("executed",), paid=(BIG,), strays=1),
    "a card that was deleted": Flow(given=asked, happens=acts.lost_card, run="done", pauses=("executed",), paid=(BIG,)),
    "two payments, both approved": Flow(given=asked, happens=acts.both, run="done", pauses=("executed", "executed"), paid=(BIG, BIG), script=acts.siblings),
    "two payments, one denied": Flow(given=asked, happens=acts.deny, run="done", pauses=("cancelled", "denied"), paid=(), script=acts.siblings),
    "decided together": Flow(given=asked, happens=acts.together, run="done", pauses=("executed", "executed"), paid=(BIG, BIG), script=acts.siblings),
    "denied together": Flow(given=asked, happens=acts.together_denied, run="done", pauses=("denied", "denied"), paid=(), script=acts.siblings),
    "digest": Flow(given=nothing, happens=acts.digest, run="awaiting_approval", pauses=("approved", "waiting"), paid=(), script=acts.siblings, policy=DAILY),
    "a person is asked": Flow(given=acts.question, happens=acts.answer, run="done", pauses=("answered", "executed"), paid=(BIG,), script=acts.asks_first, policy=ASKING, sealed=True),
    "a person is asked, and nobody answers": Flow(given=acts.question, happens=acts.no_answer, run="done", pauses=("cancelled", "expired"), paid=(), script=acts.asks_first, policy=ASKING),
    "launched over HTTP": Flow(given=nothing, happens=acts.ordered_over_http, run="awaiting_approval", pauses=("waiting",), paid=(), sealed=True),
    "held and resumed over HTTP": Flow(given=asked, happens=acts.held_over_http, run="done", pauses=("executed",), paid=(BIG,)),
    "cancelled over HTTP": Flow(given=asked, happens=acts.cancelled_over_http, run="cancelled", pauses=("cancelled",), paid=()),
    "approved by command": Flow(given=asked, happens=acts.approve_by_command, run="done", pauses=("executed",), paid=(BIG,)),
    "denied by command": Flow(given=asked, happens=acts.deny_by_command, run="done", pauses=("denied",), paid=()),
    "withdrawn by command": Flow(given=asked, happens=acts.withdraw_by_command, run="done", pauses=("cancelled",), paid=()),
    "too late by command": Flow(given=asked, happens=acts.late_by_command, run="done", pauses=("executed",), paid=(BIG,)),
    "people and a policy while it waits": Flow(given=asked, happens=acts.documents, run="done", pauses=("executed",), paid=(BIG,)),
    "people from Slack while it waits": Flow(given=asked, happens=acts.synced, run="done", pauses=("executed",), paid=(BIG,)),
    "approved in the list": Flow(given=asked, happens=acts.approve_in_list, run="done", pauses=("executed",), paid=(BIG,)),
    "approved at Home": Flow(given=asked, happens=acts.approve_at_home, run="done", pauses=("executed",), paid=(BIG,)),
    "withdrawn at Home": Flow(given=asked, happens=acts.withdraw_at_home, run="done", pauses=("cancelled",), paid=()),
    "asked by ticks": Flow(given=nothing, happens=acts.ordered_and_ticked, run="awaiting_approval", pauses=("waiting",), paid=()),
    "paid by ticks": Flow(given=asked, happens=acts.ticks, run="done", pauses=("executed",), paid=(BIG,)),
    "told to stop in the middle of a turn": Flow(given=nothing, happens=acts.told_to_stop, run="done", pauses=(), paid=(64_000,)),
    "halted for a while": Flow(given=asked, happens=acts.halted, run="done", pauses=("executed",), paid=(BIG,)),
}  # fmt: skip

"""Other people in place of those there are, by a file or by Slack: what changes, whether the policy can still be kept, and the one write.

The one rule: nobody's policy is stranded by mistake. Where a rule in force could no longer be kept, nothing is written unless that was
asked for in so many words.
"""

from collections.abc import Iterator, Sequence

from bot.commands.terminal import Exit, complain, from_here, plain, say
from engine.errors import Misconfigured
from engine.rules import policy_lint
from engine.rules.documents import Fault
from engine.rules.people import People, Person
from engine.rules.policy import Policy
from engine.state import db, people, policies


def take(conn: db.Conn, given: People, *, actor: str, as_said_by: str, dry_run: bool, even_so: bool) -> Exit:
    """Make the rows equal these people, unless it is a dry run, and say what changes; how the command ends."""
    before, policy = people.everybody(conn), in_force(conn)
    changes = list(between(before, given))
    faults = unkept(policy, given)
    new = [fault for fault in faults if fault not in unkept(policy, before)]
    refused = bool(changes and new and not even_so)
    late: list[Fault] = []
    if changes and not dry_run and not refused:
        was = people.load(conn, given, actor=actor, surface=from_here())
        if meanwhile := list(between(before, was)):
            complain("Somebody else changed people meanwhile, and this replaced what they did:", *meanwhile)
            changes = list(between(was, given))
        policy = in_force(conn)  # another may have come into force meanwhile
        late = [fault for fault in unkept(policy, given) if fault not in faults]
        faults += late
    say(*(changes or [f"Everything is as {as_said_by}; nothing was changed."]))
    if policy and faults:
        stranded(policy, faults)
    if refused:
        complain("So this is refused, and nothing was changed. With --even-so it is done all the same.")
        return Exit.LOST
    if dry_run:
        say("Nothing was written.")
    return Exit.ALARM if late and not even_so else Exit.DONE


def unkept(policy: Policy | None, given: People) -> list[Fault]:
    """Why a policy cannot be kept with these people; empty if it can, or if there is none."""
    return policy_lint.against_people(policy.rules, given) if policy else []


def stranded(policy: Policy, faults: Sequence[Fault]) -> None:
    """Complain that a policy cannot be kept with the people there are to be."""
    complain(
        f"With these people {policy.version} cannot be kept. Mend one of them:", *(f"- {fault}" for fault in faults)
    )


def between(before: People, after: People) -> Iterator[str]:
    """What changes, a line each."""
    for one in after:
        was = before.get(one.id)
        if was is None:
            yield f"new: {one.id} ({plain(one.name)})"
        elif different := list(_different(was, one)):
            yield f"changed: {one.id} ({', '.join(different)})"
    for gone in before:
        if gone.active and after.get(gone.id) is None:
            yield f"deactivated: {gone.id} ({plain(gone.name)}), who is not in the file"


def _different(was: Person, now: Person) -> Iterator[str]:
    for field in ("name", "manager", "active"):
        if getattr(was, field) != getattr(now, field):
            yield field
    for field in ("slack", "roles", "scopes"):
        if sorted(getattr(was, field)) != sorted(getattr(now, field)):
            yield field


def in_force(conn: db.Conn) -> Policy | None:
    """The policy in force; None if there is none that could be kept."""
    try:
        return policies.current(conn)
    except Misconfigured:
        return None

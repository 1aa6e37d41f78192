"""Who is asked first and next: never who asked, never who has left, and nobody for ever in a circle."""

from dataclasses import replace

import pytest

from engine.rules.escalation import Next, destinations, first_approver, leads_to, next_approver
from engine.rules.needs import Need, Step
from engine.rules.people import People, Person

HOUR = 3600


def people(*rows: Person) -> People:
    return People(rows)


def person(id: str, manager: str | None = None, *roles: str, active: bool = True) -> Person:  # noqa: A002  a person's id
    return Person(id=id, name=id.title(), manager=manager, roles=roles, active=active)


def manager_of(whose: str) -> Step:
    assert whose in ("approver", "requester")
    return Step(manager_of="approver" if whose == "approver" else "requester", answer_within_s=HOUR)


def asks(*steps: Step, person: str | None = None, role: str | None = None, approvers: int = 1) -> Need:
    return Need(
        kind="ask", policy_version="v1", rule="r", why="", person=person, role=role, approvers=approvers, answer_within_s=HOUR, steps=steps
    )  # fmt: skip


HOUSE = people(
    person("priya", "ines"),
    person("marta", "otto", "buyer"),
    person("otto", "ines", "lead"),
    person("ines", None, "buyer"),
)
UP = manager_of("approver")


# ----------------------------------------------------------------------------------------------------------------- first


def test_the_named_person_is_asked() -> None:
    assert first_approver(asks(person="marta"), "priya", HOUSE) == "person:marta"


def test_a_role_is_asked_as_a_role() -> None:
    assert first_approver(asks(role="buyer"), "priya", HOUSE) == "role:buyer"


def test_a_named_requester_is_passed_over_to_the_next_step() -> None:
    assert first_approver(asks(UP, person="marta"), "marta", HOUSE) == "person:otto"


def test_a_named_leaver_is_passed_over_to_the_next_step() -> None:
    house = people(person("priya"), person("otto"), person("marta", "otto", active=False))
    assert first_approver(asks(UP, person="marta"), "priya", house) == "person:otto"


def test_the_requester_is_passed_over_as_the_manager_of_a_named_leaver_too() -> None:
    house = people(person("ines"), person("otto", "ines"), person("marta", "otto", active=False))
    assert first_approver(asks(UP, person="marta"), "otto", house) == "person:ines"


def test_a_person_who_is_nobody_is_passed_over() -> None:
    assert first_approver(asks(Step(role="lead", answer_within_s=HOUR), person="gone"), "priya", HOUSE) == "role:lead"


def test_a_named_requester_without_further_steps_leads_to_nobody() -> None:
    assert first_approver(asks(person="marta"), "marta", HOUSE) is None


def test_a_role_that_only_the_requester_holds_leads_to_nobody() -> None:
    assert first_approver(asks(role="lead"), "otto", HOUSE) is None
    assert first_approver(asks(role="lead"), "priya", HOUSE) == "role:lead"


def test_a_role_that_nobody_holds_leads_to_nobody() -> None:
    assert first_approver(asks(role="chair"), "priya", HOUSE) is None


def test_two_approvers_need_two_holders_besides_the_requester() -> None:
    assert first_approver(asks(role="buyer", approvers=2), "priya", HOUSE) == "role:buyer"
    assert first_approver(asks(role="buyer", approvers=2), "ines", HOUSE) is None
    assert first_approver(asks(role="buyer", approvers=3), "priya", HOUSE) is None


def test_holders_who_have_left_do_not_count() -> None:
    house = people(person("ann", None, "buyer", active=False), person("bob", None, "buyer"))
    assert first_approver(asks(role="buyer", approvers=2), "priya", house) is None
    assert first_approver(asks(role="buyer"), "priya", house) == "role:buyer"


# ------------------------------------------------------------------------------------------------------------------ next


def test_the_approvers_manager_is_next_and_then_theirs() -> None:
    steps = (UP, UP)
    assert next_approver(steps, 0, "person:marta", "priya", HOUSE) == Next("person:otto", HOUR, 1)
    assert next_approver(steps, 1, "person:otto", "priya", HOUSE) == Next("person:ines", HOUR, 2)
    assert next_approver(steps, 2, "person:ines", "priya", HOUSE) is None


def test_the_top_has_nobody_above() -> None:
    assert next_approver((UP,), 0, "person:ines", "priya", HOUSE) is None


def test_the_requester_as_manager_is_passed_over_to_the_next_above() -> None:
    assert next_approver((UP,), 0, "person:marta", "otto", HOUSE) == Next("person:ines", HOUR, 1)


def test_the_requesters_own_manager_may_be_asked() -> None:
    assert next_approver((manager_of("requester"),), 0, "person:marta", "priya", HOUSE) == Next("person:ines", HOUR, 1)


def test_a_manager_who_left_is_passed_over_to_the_next_above() -> None:
    house = people(person("marta", "otto"), person("otto", "ines", active=False), person("ines"))
    assert next_approver((UP,), 0, "person:marta", "priya", house) == Next("person:ines", HOUR, 1)


@pytest.mark.parametrize(
    "house",
    [
        people(person("marta", "marta")),
        people(person("marta", "otto"), person("otto", "marta", active=False)),
        people(person("marta", "a"), person("a", "b", active=False), person("b", "a", active=False)),
    ],
)
def test_managers_in_a_circle_lead_to_nobody_and_not_for_ever_round(house: People) -> None:
    assert next_approver((UP,), 0, "person:marta", "priya", house) is None


def test_a_circle_through_the_approver_never_asks_the_approver_again() -> None:
    house = people(person("marta", "otto"), person("otto", "marta"))
    assert next_approver((UP,), 0, "person:marta", "otto", house) is None


def test_a_step_that_leads_to_nobody_is_skipped_and_counted() -> None:
    steps = (
        Step(person="gone", answer_within_s=1),
        Step(role="chair", answer_within_s=2),
        Step(role="lead", answer_within_s=3),
    )
    assert next_approver(steps, 0, "person:marta", "priya", HOUSE) == Next("role:lead", 3, 3)


def test_whoever_is_being_asked_already_is_no_next_step() -> None:
    steps = (Step(person="marta", answer_within_s=1), Step(person="otto", answer_within_s=2))
    assert next_approver(steps, 0, "person:marta", "priya", HOUSE) == Next("person:otto", 2, 2)


def test_a_step_to_the_requester_is_skipped() -> None:
    steps = (Step(person="otto", answer_within_s=1), Step(person="ines", answer_within_s=2))
    assert next_approver(steps, 0, "person:marta", "otto", HOUSE) == Next("person:ines", 2, 2)


def test_steps_that_were_used_are_not_used_again() -> None:
    steps = (Step(person="otto", answer_within_s=1), Step(person="ines", answer_within_s=2))
    assert next_approver(steps, 1, "person:otto", "priya", HOUSE) == Next("person:ines", 2, 2)


def test_a_role_has_no_manager() -> None:
    assert next_approver((UP,), 0, "role:buyer", "priya", HOUSE) is None


def test_a_role_step_that_only_the_requester_holds_is_skipped() -> None:
    steps = (Step(role="lead", answer_within_s=1), Step(person="ines", answer_within_s=2))
    assert next_approver(steps, 0, "person:marta", "otto", HOUSE) == Next("person:ines", 2, 2)


def test_managers_are_those_of_the_moment() -> None:
    moved = People(tuple(replace(p, manager="priya") if p.id == "marta" else p for p in HOUSE))
    assert next_approver((UP,), 0, "person:marta", "otto", moved) == Next("person:priya", HOUR, 1)


# ---------------------------------------------------------------------------------------------------------- destinations


def test_a_person_is_told_in_a_dm_and_the_channel_sees_it_first() -> None:
    assert destinations("person:marta", "C0BUY", HOUSE, "priya", first=True) == ("person:marta", "channel:C0BUY")
    assert destinations("person:otto", "C0BUY", HOUSE, "priya", first=False) == ("person:otto",)
    assert destinations("person:marta", None, HOUSE, "priya", first=True) == ("person:marta",)


def test_a_role_is_told_in_the_channel_or_each_holder_in_a_dm_but_never_the_requester() -> None:
    assert destinations("role:buyer", "C0BUY", HOUSE, "priya", first=True) == ("channel:C0BUY",)
    assert destinations("role:buyer", None, HOUSE, "ines", first=True) == ("person:marta",)


@pytest.mark.parametrize(
    ("need", "level", "voter", "leads"),
    [
        (asks(UP, person="marta"), 0, "marta", True),
        (asks(UP, person="marta"), 1, "marta", False),
        (asks(UP, person="marta"), 1, "otto", True),
        (asks(UP, person="marta"), 1, "ines", True),  # Otto may have been skipped
        (asks(UP, person="marta"), 0, "otto", True),  # Marta may have been away when it was asked
        (asks(UP, person="marta"), 2, "otto", False),
        (asks(person="marta"), 0, "otto", False),
        (asks(role="buyer"), 0, "ines", True),
        (asks(role="buyer"), 0, "otto", False),
        (asks(Step(role="lead", answer_within_s=HOUR), role="buyer"), 0, "otto", False),
        (asks(Step(role="lead", answer_within_s=HOUR), role="buyer"), 1, "otto", True),
        (asks(Step(role="lead", answer_within_s=HOUR), role="buyer"), 1, "ines", False),
        (asks(Step(person="ines", answer_within_s=HOUR), role="buyer"), 1, "ines", True),
        (asks(manager_of("requester"), role="buyer"), 1, "ines", True),
        (asks(manager_of("requester"), role="buyer"), 1, "otto", False),
        (asks(Step(person="otto", answer_within_s=HOUR), UP, person="marta"), 2, "ines", True),
        (asks(UP, person="priya"), 0, "priya", False),
        (asks(UP, person="marta"), 0, "nobody", False),
    ],
)
def test_whom_a_rule_asks_at_a_level_is_told_from_the_rule(need: Need, level: int, voter: str, leads: bool) -> None:
    assert leads_to(need, level, voter, "priya", HOUSE) is leads


def test_above_somebody_are_all_managers_and_a_circle_ends() -> None:
    assert HOUSE.above("marta") == ("otto", "ines")
    assert people(person("a", "b"), person("b", "c"), person("c", "a")).above("a") == ("b", "c")

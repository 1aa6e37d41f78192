"""Who is asked first and next: never who asked, never who has left, and nobody for ever in a circle."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.rules.escalation import destinations, first_approver, leads_to, next_approver, shown_to, stand_ins
from engine.rules.needs import Need, Step
from engine.rules.people import Absence, People, Person

HOUR = 3600
NOW = datetime(2026, 7, 15, 12, tzinfo=UTC)


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


def next_of(steps: Any, level: int, approver: str, requester: str, house: People) -> tuple[str, int, int] | None:
    """Whom it asks next, for how long, and the level that this is."""
    found = next_approver(steps, level, approver, requester, house)
    return (found.approver, found.step.answer_within_s, found.level) if found else None


def test_the_approvers_manager_is_next_and_then_theirs() -> None:
    steps = (UP, UP)
    assert next_of(steps, 0, "person:marta", "priya", HOUSE) == ("person:otto", HOUR, 1)
    assert next_of(steps, 1, "person:otto", "priya", HOUSE) == ("person:ines", HOUR, 2)
    assert next_of(steps, 2, "person:ines", "priya", HOUSE) is None


def test_the_top_has_nobody_above() -> None:
    assert next_of((UP,), 0, "person:ines", "priya", HOUSE) is None


def test_the_requester_as_manager_is_passed_over_to_the_next_above() -> None:
    assert next_of((UP,), 0, "person:marta", "otto", HOUSE) == ("person:ines", HOUR, 1)


def test_the_requesters_own_manager_may_be_asked() -> None:
    assert next_of((manager_of("requester"),), 0, "person:marta", "priya", HOUSE) == ("person:ines", HOUR, 1)


def test_a_manager_who_left_is_passed_over_to_the_next_above() -> None:
    house = people(person("marta", "otto"), person("otto", "ines", active=False), person("ines"))
    assert next_of((UP,), 0, "person:marta", "priya", house) == ("person:ines", HOUR, 1)


@pytest.mark.parametrize(
    "house",
    [
        people(person("marta", "marta")),
        people(person("marta", "otto"), person("otto", "marta", active=False)),
        people(person("marta", "a"), person("a", "b", active=False), person("b", "a", active=False)),
    ],
)
def test_managers_in_a_circle_lead_to_nobody_and_not_for_ever_round(house: People) -> None:
    assert next_of((UP,), 0, "person:marta", "priya", house) is None


def test_a_circle_through_the_approver_never_asks_the_approver_again() -> None:
    house = people(person("marta", "otto"), person("otto", "marta"))
    assert next_of((UP,), 0, "person:marta", "otto", house) is None


def test_a_step_that_leads_to_nobody_is_skipped_and_counted() -> None:
    steps = (
        Step(person="gone", answer_within_s=1),
        Step(role="chair", answer_within_s=2),
        Step(role="lead", answer_within_s=3),
    )
    assert next_of(steps, 0, "person:marta", "priya", HOUSE) == ("role:lead", 3, 3)


def test_whoever_is_being_asked_already_is_no_next_step() -> None:
    steps = (Step(person="marta", answer_within_s=1), Step(person="otto", answer_within_s=2))
    assert next_of(steps, 0, "person:marta", "priya", HOUSE) == ("person:otto", 2, 2)


def test_a_step_to_the_requester_is_skipped() -> None:
    steps = (Step(person="otto", answer_within_s=1), Step(person="ines", answer_within_s=2))
    assert next_of(steps, 0, "person:marta", "otto", HOUSE) == ("person:ines", 2, 2)


def test_steps_that_were_used_are_not_used_again() -> None:
    steps = (Step(person="otto", answer_within_s=1), Step(person="ines", answer_within_s=2))
    assert next_of(steps, 1, "person:otto", "priya", HOUSE) == ("person:ines", 2, 2)


def test_a_role_has_no_manager() -> None:
    assert next_of((UP,), 0, "role:buyer", "priya", HOUSE) is None


def test_a_role_step_that_only_the_requester_holds_is_skipped() -> None:
    steps = (Step(role="lead", answer_within_s=1), Step(person="ines", answer_within_s=2))
    assert next_of(steps, 0, "person:marta", "otto", HOUSE) == ("person:ines", 2, 2)


def test_managers_are_those_of_the_moment() -> None:
    moved = People(tuple(replace(p, manager="priya") if p.id == "marta" else p for p in HOUSE))
    assert next_of((UP,), 0, "person:marta", "otto", moved) == ("person:priya", HOUR, 1)


# ---------------------------------------------------------------------------------------------------------- destinations


def test_a_person_is_told_in_a_dm_and_the_channel_sees_it_first() -> None:
    assert destinations("person:marta", "C0BUY", HOUSE, ("priya",), first=True) == ("person:marta", "channel:C0BUY")
    assert destinations("person:otto", "C0BUY", HOUSE, ("priya",), first=False) == ("person:otto",)
    assert destinations("person:marta", None, HOUSE, ("priya",), first=True) == ("person:marta",)


def test_a_role_is_told_in_the_channel_or_each_holder_in_a_dm_but_never_the_requester() -> None:
    assert destinations("role:buyer", "C0BUY", HOUSE, ("priya",), first=True) == ("channel:C0BUY",)
    assert destinations("role:buyer", None, HOUSE, ("ines",), first=True) == ("person:marta",)


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
    assert leads_to(need, level, voter, at=NOW, requester="priya", people=HOUSE) is leads


@pytest.mark.parametrize(
    ("step", "voters", "asked"),
    [
        (Step(person="ines", answer_within_s=HOUR), ("ines",), None),
        (Step(role="buyer", answer_within_s=HOUR), ("marta",), "role:buyer"),
        (Step(role="buyer", answer_within_s=HOUR), ("marta", "ines"), None),
        (manager_of("requester"), ("ines",), None),
    ],
)
def test_who_has_approved_already_is_not_asked_again(step: Step, voters: tuple[str, ...], asked: str | None) -> None:
    found = next_approver((step,), 0, "role:lead", "priya", HOUSE, voters=voters)
    assert (found.approver if found else None) == asked
    assert "person:marta" not in destinations("role:buyer", None, HOUSE, ("priya", "marta"), first=False)


def test_above_somebody_are_all_managers_and_a_circle_ends() -> None:
    assert HOUSE.above("marta") == ("otto", "ines")
    assert people(person("a", "b"), person("b", "c"), person("c", "a")).above("a") == ("b", "c")


# ------------------------------------------------------------------------------------------------------------ stand-ins

DAY = timedelta(days=1)


def away(person_id: str, delegate: str, starts_at: datetime = NOW - DAY, ends_at: datetime = NOW + DAY) -> People:
    absence = Absence(delegate=delegate, starts_at=starts_at, ends_at=ends_at)
    return People(tuple(replace(one, absences=(absence,)) if one.id == person_id else one for one in HOUSE))


def test_a_card_for_somebody_away_is_shown_to_who_stands_in_too() -> None:
    house = away("marta", "otto")
    assert stand_ins("person:marta", house, ("priya",), NOW, NOW + DAY) == {"person:otto": None}
    assert stand_ins("role:buyer", house, ("priya",), NOW, NOW + DAY) == {}
    assert stand_ins("person:ines", house, ("priya",), NOW, NOW + DAY) == {}


def test_one_who_goes_before_it_is_due_is_stood_in_for_from_then_on() -> None:
    house = away("marta", "otto", starts_at=NOW + DAY / 2)
    assert stand_ins("person:marta", house, ("priya",), NOW, NOW + DAY) == {"person:otto": NOW + DAY / 2}
    assert stand_ins("person:marta", house, ("priya",), NOW, NOW + DAY / 2) == {}
    assert stand_ins("person:marta", house, ("priya",), NOW + DAY, NOW + 2 * DAY) == {}


def test_who_stands_in_twice_or_is_asked_already_has_one_card_from_the_earliest_day_on() -> None:
    later, sooner = (
        Absence(delegate="otto", starts_at=NOW + n * DAY / 4, ends_at=NOW + n * DAY / 4 + DAY / 8) for n in (3, 1)
    )
    house = People(tuple(replace(one, absences=(later, sooner)) if one.id == "marta" else one for one in HOUSE))
    need = asks(person="marta")
    shown = shown_to("person:marta", need, house, ("priya",), waits=(NOW, NOW + DAY), first=True)
    assert shown == {"person:marta": None, "person:otto": NOW + DAY / 4}
    assert shown_to(
        "person:marta",
        replace(need, channel="C1"),
        away("marta", "otto"),
        ("priya",),
        waits=(NOW, NOW + DAY),
        first=True,
    ) == dict.fromkeys(("person:marta", "channel:C1", "person:otto"))


def test_nobody_stands_in_towards_their_own_request_and_nobody_who_left() -> None:
    assert stand_ins("person:marta", away("marta", "priya"), ("priya",), NOW, NOW + DAY) == {}
    assert stand_ins("person:marta", away("marta", "nobody"), ("priya",), NOW, NOW + DAY) == {}


@pytest.mark.parametrize(
    ("need", "level", "at", "leads"),
    [
        (asks(UP, person="marta"), 0, NOW, True),
        (asks(UP, person="marta"), 0, NOW + DAY, False),
        (asks(UP, person="marta"), 0, NOW - 2 * DAY, False),
        (asks(role="buyer"), 0, NOW, False),  # a role has others to answer
        (asks(Step(person="marta", answer_within_s=HOUR), role="lead"), 1, NOW, True),
    ],
)
def test_who_stood_in_for_whom_the_rule_asks_was_asked(need: Need, level: int, at: datetime, leads: bool) -> None:
    house = away("marta", "priya")
    assert leads_to(need, level, "priya", at=at, requester="lena", people=house) is leads


def test_a_delegate_of_a_delegate_stands_in_for_nobody() -> None:
    house = People(
        tuple(
            replace(
                one,
                absences=(
                    Absence(delegate={"marta": "otto", "otto": "priya"}[one.id], starts_at=NOW, ends_at=NOW + DAY),
                ),
            )
            if one.id in ("marta", "otto")
            else one
            for one in HOUSE
        )
    )
    assert not leads_to(asks(person="marta"), 0, "priya", at=NOW, requester="lena", people=house)
    assert leads_to(asks(person="marta"), 0, "otto", at=NOW, requester="lena", people=house)

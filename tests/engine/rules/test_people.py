"""people.toml is taken whole or refused whole, with every fault at once."""

from pathlib import Path

import pytest

from engine.rules import people
from engine.rules.documents import DocumentFaults, Fault
from engine.rules.people import Person

EXAMPLE = Path(__file__).parents[3] / "examples" / "procurement" / "people.toml"


def faults(text: str) -> tuple[Fault, ...]:
    with pytest.raises(DocumentFaults) as refusal:
        people.parse(text)
    return refusal.value.faults


def sentences(text: str) -> list[str]:
    """The faults, each without its line."""
    return [f"{fault.field}: {fault.why} {fault.fix}" for fault in faults(text)]


def person(person_id: str, rest: str = "") -> str:
    return f'[[person]]\nid = "{person_id}"\nname = "Somebody"\n{rest}\n'


def test_the_example_says_who_is_who() -> None:
    everybody = people.parse(EXAMPLE.read_text("utf-8"))
    marta = everybody.person_of("T0ACME:U0MARTA")
    assert marta is not None
    assert marta.id == "marta"
    assert marta.active
    assert everybody.get("marta") is marta
    assert [holder.id for holder in everybody.holders("finance-approver")] == ["marta", "ines"]
    assert [holder.id for holder in everybody.holders("operator")] == ["otto"]
    otto = everybody.manager_of("marta")
    assert otto is not None
    assert otto.id == "otto"


def test_the_top_has_no_manager_and_a_stranger_is_nobody() -> None:
    everybody = people.parse(EXAMPLE.read_text("utf-8"))
    assert everybody.manager_of("ines") is None
    assert everybody.manager_of("nobody") is None
    assert everybody.get("nobody") is None
    assert everybody.person_of("T0OTHER:U0MARTA") is None
    assert everybody.holders("nothing") == ()


def test_who_has_left_keeps_the_row_and_holds_no_role() -> None:
    everybody = people.parse(EXAMPLE.read_text("utf-8"))
    lena = everybody.person_of("T0ACME:U0LEFT")
    assert lena is not None
    assert lena.roles == ("finance-approver",)
    assert not lena.active
    assert lena not in everybody.holders("finance-approver")


def test_every_fault_is_told_at_once_with_its_line_and_what_to_do() -> None:
    found = faults(
        '[[person]]\nid = "Marta"\nname = ""\nslack = ["U0MARTA"]\n\n'
        '[[person]]\nid = "otto"\nname = "Otto"\nrole = ["x"]\nactive = "yes"\nmanager = "ghost"\n'
    )
    assert [(fault.line, fault.field) for fault in found] == [
        (2, 'person "Marta", id'),
        (3, 'person "Marta", name'),
        (4, 'person "Marta", slack'),
        (9, 'person "otto", role'),
        (10, 'person "otto", active'),
        (11, 'person "otto", manager'),
    ]
    assert str(found[3]) == 'line 9, person "otto", role: no such key is known here. Did you mean roles?'
    assert str(found[2]).endswith('Write it as in "T0ACME:U0MARTA".')


@pytest.mark.parametrize("identity", ["U0MARTA", "marta", "T0ACME:marta", "T0ACME:", "C0BUY:U0MARTA", "T0ACME:B0BOT"])
def test_an_identity_is_a_workspace_and_a_user_and_no_bot(identity: str) -> None:
    (fault,) = faults(person("marta", f'slack = ["{identity}"]'))
    assert fault.field == 'person "marta", slack'


def test_an_id_or_an_identity_belongs_to_one_person() -> None:
    assert sentences(person("marta", 'slack = ["T0ACME:U0M"]') * 2) == [
        'person "marta", id: "marta" is somebody already. Give every person an id of their own.',
        (
            'person "marta", slack: "T0ACME:U0M" is already that of "marta". '
            "An identity belongs to one person; take it out here or there."
        ),
    ]


def test_one_person_may_have_several_identities_but_each_once() -> None:
    two = people.parse(person("marta", 'slack = ["T0ACME:U0M", "E0GRID:W0M"]'))
    assert two.person_of("E0GRID:W0M") == two.person_of("T0ACME:U0M")
    assert sentences(person("marta", 'slack = ["T0ACME:U0M", "T0ACME:U0M"]')) == [
        'person "marta", slack: "T0ACME:U0M" is in it twice. Write it once.'
    ]


def test_a_circle_of_managers_is_told_once() -> None:
    text = (
        person("a", 'manager = "b"') + person("b", 'manager = "c"') + person("c", 'manager = "b"')
        + person("d", 'manager = "d"')
    )  # fmt: skip
    assert sentences(text) == [
        'person "b", manager: it leads in a circle: b -> c -> b. Leave the manager of one of them out.',
        'person "d", manager: it leads in a circle: d -> d. Leave the manager of one of them out.',
    ]


def test_a_manager_is_a_person_of_the_document() -> None:
    assert sentences(person("a", 'manager = "ghost"')) == [
        'person "a", manager: "ghost" is nobody here. Write the id of a person in this document.'
    ]


def test_everything_that_is_written_about_a_person_is_kept() -> None:
    text = person("a", 'slack = ["T0ACME:U0A"]\nroles = ["buyer"]\nmanager = "b"\nscopes = ["payments:write"]')
    assert tuple(people.parse(text + person("b", "active = false"))) == (
        Person(
            id="a",
            name="Somebody",
            slack=("T0ACME:U0A",),
            roles=("buyer",),
            manager="b",
            active=True,
            scopes=("payments:write",),
        ),
        Person(id="b", name="Somebody", slack=(), roles=(), manager=None, active=False, scopes=()),
    )


def test_an_unknown_key_at_the_top_is_refused() -> None:
    assert [fault.field for fault in faults("persons = 1\n" + person("a"))] == ["persons"]


def test_a_mark_of_byte_order_and_windows_line_ends_are_no_fault() -> None:
    assert people.parse("\ufeff" + person("a").replace("\n", "\r\n")).get("a") is not None

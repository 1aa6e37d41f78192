"""Who is who by a document and by Slack: what each is believed in, what comes of both, and what whoever keeps the document is told."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from engine.rules import sync, sync_file
from engine.rules.documents import DocumentFaults
from engine.rules.people import Person
from engine.rules.said import Barred, Member, ProfileField, Said

PEOPLE = """
[[person]]
id = "priya"
name = "Priya Nair"
slack = ["T0ACME:U0PRIYA"]

[[person]]
id = "marta"
name = "Marta Keller"
slack = ["T0ACME:U0MARTA", "T0ACME:U0MARTA2"]
roles = ["operator"]
manager = "otto"
scopes = ["payments:write"]

[[person]]
id = "otto"
name = "Otto Brandt"
slack = ["T0ACME:U0OTTO", "T0ELSE:U0OTTO"]

[[person]]
id = "ines"
name = "Ines Alonso"
"""
LEFT_TO_SLACK = """
[slack]
team = "T0ACME"
groups = { "fin" = "finance-approver", "lead" = "finance-lead", "fin-too" = "finance-approver" }
manager_field = "Manager"
"""
MANAGER = ProfileField(id="Xf1", label="Manager", kind="user", guarded=True)
USERS = ("PRIYA", "MARTA", "MARTA2", "OTTO", "ZOE")


@dataclass(frozen=True)
class Case:
    """What Slack says of Acme, where all are members and nobody is in a group; and what an override says."""

    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    barred: dict[str, Barred] = field(default_factory=dict)
    unlisted: str = ""
    managers: dict[str, str] = field(default_factory=dict)
    fields: tuple[ProfileField, ...] = (MANAGER,)
    override: str = ""
    people: str = PEOPLE

    def merged(self) -> sync.Merged:
        overrides = f"[[override]]\n{self.override}" if self.override else ""
        document = sync_file.parse(self.people + LEFT_TO_SLACK + overrides)
        assert document.source is not None
        return sync.merge(document, document.source, self.said())

    def said(self) -> Said:
        members = {
            f"U0{one}": Member(name=one.title(), barred=self.barred.get(one)) for one in USERS if one != self.unlisted
        }
        groups = {"fin": (), "lead": (), "fin-too": (), **self.groups}
        return Said(
            team="T0ACME",
            members=members,
            handles=frozenset(groups),
            groups={handle: tuple(f"U0{one}" for one in users) for handle, users in groups.items()},
            fields=self.fields,
            managers={f"U0{one}": manager for one, manager in self.managers.items()},
        )


def differences(merged: sync.Merged) -> dict[str, Any]:
    """What is another than in the document, "person.key" by "person.key"."""
    was = {one.id: one for one in sync_file.parse(PEOPLE).people}
    return {
        f"{now.id}.{key}": getattr(now, key)
        for now in merged.people
        for key in ("name", "slack", "roles", "manager", "active", "scopes")
        if getattr(now, key) != getattr(was[now.id], key)
    }


NO_MEMBER: tuple[tuple[Barred, str], ...] = (
    ("guest", "a guest in Slack"),
    ("bot", "a bot"),
    ("stranger", "not of this workspace"),
)
NO_FIELD = "The managers of the document stand."
OVER_MARTA = 'id = "marta"\n'


@pytest.mark.parametrize(
    ("case", "changes", "findings"),
    [
        (Case(), {}, []),
        # roles
        (Case(groups={"fin": ("PRIYA", "OTTO")}), {"priya.roles": ("finance-approver",), "otto.roles": ("finance-approver",)}, []),
        (Case(groups={"fin": ("MARTA",)}), {"marta.roles": ("operator", "finance-approver")}, []),
        (Case(groups={"fin": ("PRIYA",), "fin-too": ("PRIYA",), "lead": ("PRIYA",)}), {"priya.roles": ("finance-approver", "finance-lead")}, []),
        (Case(people=PEOPLE.replace('["operator"]', '["finance-approver", "operator"]')), {},
         ['marta: is not in the user group "fin" or "fin-too", so the document cannot give the role finance-approver.']),
        (Case(people=PEOPLE.replace('["operator"]', '["finance-approver", "operator"]'), groups={"fin-too": ("MARTA",)}),
         {"marta.roles": ("operator", "finance-approver")}, []),
        (Case(people=PEOPLE.replace('"Ines Alonso"', '"Ines Alonso"\nroles = ["finance-lead"]')), {},
         ['ines: is not in the user group "lead", so the document cannot give the role finance-lead.']),
        (Case(people=PEOPLE.replace('"Ines Alonso"', '"Ines Alonso"\nactive = false\nroles = ["finance-lead"]')), {"ines.active": False}, []),
        # who is not in the document
        (Case(groups={"fin": ("ZOE",)}), {}, ['the user group "fin": U0ZOE (Zoe) is nobody of the document, and gets nothing. Add them with an id.']),
        (Case(groups={"fin": ("ZOE",)}, unlisted="ZOE"), {}, ['the user group "fin": U0ZOE is not of this workspace, and gets nothing.']),
        (Case(groups={"fin": ("ZOE",)}, barred={"ZOE": "guest"}), {}, ['the user group "fin": U0ZOE (Zoe) is a guest in Slack, and gets nothing.']),
        (Case(groups={"fin": ("ZOE",)}, barred={"ZOE": "bot"}), {}, ['the user group "fin": U0ZOE (Zoe) is a bot, and gets nothing.']),
        (Case(groups={"fin": ("ZOE",)}, barred={"ZOE": "deactivated"}), {}, []),  # left, and still in the group, as Slack has it
        # leavers
        (Case(barred={"PRIYA": "deactivated"}, groups={"fin": ("PRIYA",)}), {"priya.active": False},
         ["priya: deactivated in Slack (U0PRIYA), so they count as having left."]),
        (Case(barred={"OTTO": "deactivated"}), {"otto.active": False},  # what another workspace has of him, nobody has asked
         ["otto: deactivated in Slack (U0OTTO), so they count as having left."]),
        (Case(barred={"PRIYA": "deactivated"}, people=PEOPLE.replace('"Priya Nair"', '"Priya Nair"\nactive = false')), {"priya.active": False}, []),
        (Case(people=PEOPLE.replace('"Priya Nair"', '"Priya Nair"\nactive = false'), groups={"fin": ("PRIYA",)}),
         {"priya.active": False, "priya.roles": ("finance-approver",)}, []),
        # who is no full member
        *((Case(barred={"PRIYA": why}, groups={"fin": ("PRIYA",)}), {}, [f"priya: {told} (U0PRIYA), and holds no role. Check the id, or make them a full member."])
          for why, told in NO_MEMBER),
        (Case(unlisted="PRIYA", groups={"fin": ("PRIYA",)}), {}, ["priya: not of this workspace (U0PRIYA), and holds no role. Check the id, or make them a full member."]),
        (Case(barred={"MARTA": "guest", "MARTA2": "deactivated"}), {"marta.roles": ()},  # not even a role that no user group gives
         ["marta: a guest in Slack (U0MARTA, U0MARTA2), and holds no role. Check the id, or make them a full member."]),
        # one person with two identities
        (Case(groups={"fin": ("MARTA", "MARTA2")}), {"marta.roles": ("operator", "finance-approver")}, []),
        (Case(groups={"fin": ("MARTA2",)}), {"marta.roles": ("operator", "finance-approver")}, []),
        (Case(groups={"fin": ("MARTA2",)}, barred={"MARTA": "deactivated"}), {"marta.roles": ("operator", "finance-approver")}, []),
        (Case(groups={"fin": ("MARTA",)}, barred={"MARTA": "deactivated"}), {},
         ['the user group "fin": U0MARTA (Marta) is deactivated in Slack, so marta gets nothing by it.']),
        (Case(groups={"fin": ("MARTA",)}, barred={"MARTA": "guest"}), {}, ['the user group "fin": U0MARTA (Marta) is a guest in Slack, so marta gets nothing by it.']),
        (Case(groups={"fin": ("MARTA", "MARTA2")}, barred={"MARTA": "guest"}), {"marta.roles": ("operator", "finance-approver")}, []),
        (Case(barred={"MARTA": "deactivated", "MARTA2": "deactivated"}), {"marta.active": False},
         ["marta: deactivated in Slack (U0MARTA, U0MARTA2), so they count as having left."]),
        # managers
        (Case(managers={"PRIYA": "U0MARTA"}), {"priya.manager": "marta"}, []),
        (Case(managers={"PRIYA": "U0MARTA2", "MARTA": ""}), {"priya.manager": "marta"}, []),
        (Case(managers={"MARTA": "U0PRIYA", "MARTA2": "U0PRIYA"}), {"marta.manager": "priya"}, []),
        (Case(managers={"MARTA": "U0PRIYA", "MARTA2": "U0OTTO"}), {},
         ["marta: has several managers in Slack, U0OTTO and U0PRIYA, so the manager of the document stands."]),
        (Case(managers={"MARTA": "U0PRIYA"}, barred={"MARTA": "guest"}), {}, []),  # a guest's profile says nothing of marta
        (Case(managers={"MARTA": "U0ZOE"}), {},
         ["marta: their manager in Slack, U0ZOE (Zoe), is nobody of the document, so the manager of the document stands. Add them with an id."]),
        (Case(managers={"MARTA": "U0PRIYA,U0OTTO"}), {},
         ["marta: their manager in Slack, U0PRIYA,U0OTTO, is nobody of the document, so the manager of the document stands. Add them with an id."]),
        (Case(managers={"MARTA": "U0PRIYA"}, barred={"PRIYA": "guest"}), {},
         ["priya: a guest in Slack (U0PRIYA), and holds no role. Check the id, or make them a full member.",
          "marta: their manager in Slack, U0PRIYA (Priya), is a guest in Slack, so the manager of the document stands."]),
        *((Case(managers={"MARTA": "U0PRIYA"}, fields=fields), {}, [f'the profile field "Manager": {why}. {NO_FIELD}']) for fields, why in (
            ((replace(MANAGER, guarded=False),), "it is neither protected nor filled by SCIM, so people fill it in themselves"),
            ((replace(MANAGER, kind="text"),), "it holds a text and no person"),
            ((replace(MANAGER, label="Boss"),), 'Slack has no such field; it has "Boss"'),
            ((), "Slack has no such field; it has none"),
            ((MANAGER, replace(MANAGER, id="Xf2")), "several fields have this label; name one by its id, Xf1 or Xf2"),
        )),
        # overrides
        (Case(override=OVER_MARTA + 'roles = ["finance-lead"]', groups={"fin": ("MARTA",)}), {"marta.roles": ("finance-lead",)}, []),
        (Case(override=OVER_MARTA + "roles = []", groups={"fin": ("MARTA",)}), {"marta.roles": ()}, []),
        (Case(override=OVER_MARTA + 'manager = "ines"', managers={"MARTA": "U0ZOE"}), {"marta.manager": "ines"}, []),
        (Case(override=OVER_MARTA + 'manager = ""', managers={"MARTA": "U0PRIYA"}), {"marta.manager": None}, []),
        (Case(override=OVER_MARTA + "active = false", groups={"fin": ("MARTA",)}), {"marta.active": False, "marta.roles": ("operator", "finance-approver")}, []),
        (Case(override='id = "priya"\nactive = true\nroles = ["finance-lead"]', barred={"PRIYA": "deactivated"}), {"priya.roles": ("finance-lead",)},
         ["priya: deactivated in Slack (U0PRIYA). By the override they stay, but they cannot answer there."]),
        (Case(override='id = "priya"\nroles = ["finance-lead"]', barred={"PRIYA": "guest"}), {},
         ["priya: a guest in Slack (U0PRIYA), and holds no role. Check the id, or make them a full member."]),
    ],
)  # fmt: skip
def test_what_comes_of_a_document_and_slack(case: Case, changes: dict[str, Any], findings: list[str]) -> None:
    merged = case.merged()
    assert (differences(merged), list(merged.findings)) == (changes, findings)


def test_nobody_but_the_people_of_the_document_is_in_it_and_in_its_order() -> None:
    case = Case(groups={"fin": ("ZOE", "OTTO")}, managers={"PRIYA": "U0OTTO"})
    assert [one.id for one in case.merged().people] == ["priya", "marta", "otto", "ines"]


@pytest.mark.parametrize(
    ("case", "told"),
    [
        (Case(managers={"OTTO": "U0MARTA"}), 'line 7, person "marta", manager: it leads in a circle: marta -> otto -> marta. Correct the profile field "Manager" in Slack, or win over it here: [[override]] with id = "marta" and manager = "" for nobody, or an id.'),
        (Case(managers={"PRIYA": "U0PRIYA"}), 'line 2, person "priya", manager: it leads in a circle: priya -> priya. Correct the profile field "Manager" in Slack, or win over it here: [[override]] with id = "priya" and manager = "" for nobody, or an id.'),
        (Case(override='id = "otto"\nmanager = "marta"'), 'line 7, person "marta", manager: it leads in a circle: marta -> otto -> marta. Correct the profile field "Manager" in Slack, or win over it here: [[override]] with id = "marta" and manager = "" for nobody, or an id.'),
    ],
)  # fmt: skip
def test_managers_that_lead_in_a_circle_after_all_are_refused(case: Case, told: str) -> None:
    with pytest.raises(DocumentFaults) as refused:
        case.merged()
    assert str(refused.value) == told


def test_an_override_takes_a_person_out_of_a_circle_that_slack_draws() -> None:
    case = Case(managers={"OTTO": "U0MARTA"}, override='id = "otto"\nmanager = ""')
    assert differences(case.merged()) == {}


@pytest.mark.parametrize(
    ("handles", "fix"),
    [({"fin", "lead", "fin-two"}, "Did you mean fin-two?"), ({"fin", "lead"}, "Did you mean fin?")],
)  # fmt: skip
def test_a_user_group_that_slack_does_not_have_is_no_empty_one(handles: set[str], fix: str) -> None:
    document = sync_file.parse(PEOPLE + LEFT_TO_SLACK)
    assert document.source is not None
    with pytest.raises(DocumentFaults) as refused:
        sync.merge(document, document.source, replace(Case().said(), handles=frozenset(handles)))
    assert str(refused.value) == f'line 26, slack, groups: Slack has no user group "fin-too". {fix}'


GRID = PEOPLE.replace("T0ACME:U0OTTO", "E0GRID:U0OTTO")


def test_user_groups_are_all_missing_where_there_are_none() -> None:
    document = sync_file.parse(PEOPLE + LEFT_TO_SLACK)
    assert document.source is not None
    with pytest.raises(DocumentFaults) as refused:
        sync.merge(document, document.source, replace(Case().said(), handles=frozenset()))
    assert str(refused.value).splitlines() == [
        f'line 26, slack, groups: Slack has no user group "{handle}". Write the handle of one that is in use.'
        for handle in ("fin", "lead", "fin-too")
    ]


def in_grid(people: str, **said: Any) -> sync.Merged:
    document = sync_file.parse(people + LEFT_TO_SLACK)
    assert document.source is not None
    return sync.merge(
        document, document.source, replace(Case(groups={"fin": ("OTTO",)}).said(), enterprise="E0GRID", **said)
    )


def test_in_a_grid_a_person_may_be_told_by_the_organisation() -> None:
    otto = in_grid(GRID, managers={"U0PRIYA": "U0OTTO"}).people.get("otto")
    assert otto == Person(
        id="otto", name="Otto Brandt", slack=("E0GRID:U0OTTO", "T0ELSE:U0OTTO"), roles=("finance-approver",)
    )
    assert differences(Case(people=GRID, groups={"fin": ("OTTO",)}).merged())["otto.slack"] == otto.slack


def test_one_user_told_in_two_ways_is_not_two_people() -> None:
    with pytest.raises(DocumentFaults) as refused:
        in_grid(GRID.replace('"Ines Alonso"', '"Ines Alonso"\nslack = ["T0ACME:U0OTTO"]'))
    assert str(refused.value) == (
        'line 20, person "ines", slack: "U0OTTO" is already that of "otto". '
        "An identity belongs to one person; take it out here or there."
    )


def test_a_field_is_named_by_its_id_or_by_its_label() -> None:
    said = Case(fields=(MANAGER, replace(MANAGER, id="Manager", label="Boss"))).said()
    assert said.manager_field("Manager") == replace(MANAGER, id="Manager", label="Boss")
    assert said.manager_field("Xf1") == MANAGER

"""The verbs of people: import, and who is behind a Slack identity. Roles and managers are rows; a decision reads them itself."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from engine.models import Actor
from engine.rules.people import Absence, People, Person, people_digest
from engine.state import db


def load(conn: db.Conn, people: People, *, actor: str, surface: str = "cli") -> People:
    """Make the rows equal these people: whom they do not name is deactivated, never deleted. On record, with what the rows are to be.

    Returns everybody as they were until then, whatever was imported in the meantime: what this changed is told by them alone.
    """
    rows: list[dict[str, Any]] = [
        asdict(replace(p, absences=()))
        | {"identities": [dict(zip(("team", "user"), i.split(":"), strict=True)) for i in p.slack]}
        for p in people
    ]
    done = db.system_move(conn, "import_people", people=json.dumps(rows), digest=people_digest(people),
            actor=actor, surface=surface)  # fmt: skip
    return of_rows(done["were"])


@dataclass(frozen=True, slots=True)
class Import:
    """The last import on record: its move in the system's chain; `stands` tells whether the rows are as it left them.

    `seq` None: there are people, and no move tells how they came.
    """

    seq: int | None
    stands: bool


def on_record(conn: db.Conn) -> Import | None:
    """The last import; None if there was none and nobody is there. One by a release that did not keep what the rows were to be stands."""
    anybody = bool(db.many(conn, "people", dict))  # first, since whoever is seen here is on record by the next look
    row = db.one(conn, "people_on_record", dict, id=db.SYSTEM_RUN)
    if row is None:
        return Import(None, stands=False) if anybody else None
    _, _, kept = row["detail"].partition(" people, ")
    return Import(row["seq"], not kept or kept == people_digest(of_rows(row["people"])))


def everybody(conn: db.Conn) -> People:
    """All rows, active or not."""
    return of_rows(db.many(conn, "people", dict))


def of_rows(rows: Iterable[dict[str, Any]]) -> People:
    """People from their rows."""
    return People(
        tuple(
            Person(id=r["id"], name=r["name"], slack=tuple(r["identities"]), roles=tuple(r["roles"]), manager=r["manager"],
                   active=r["active"], scopes=tuple(r["scopes"]), absences=tuple(map(_absence, r.get("absences", ()))))
            for r in rows
        )
    )  # fmt: skip


def _absence(row: dict[str, str]) -> Absence:
    return Absence(
        delegate=row["delegate"],
        starts_at=datetime.fromisoformat(row["starts_at"]),
        ends_at=datetime.fromisoformat(row["ends_at"]),
    )


def behind(conn: db.Conn, team: str, user: str) -> Actor | None:
    """The person with this Slack identity, active or not; None for a stranger."""
    row = db.one(conn, "person_of_identity", dict, team=team, user=user)
    return Actor(**{**row, "roles": tuple(row["roles"])}) if row else None


def checked(conn: db.Conn, team: str, user: str, refusal: str | None) -> None:
    """Keep what Slack just said of a user; refusal None: a full member."""
    db.execute(conn, "identity_checked", team=team, user=user, refusal=refusal)


def identities(conn: db.Conn, person: str) -> list[tuple[str, str]]:
    """A person's (team, Slack user) pairs, last those that Slack's last word on bars."""
    return [(r["team"], r["slack_user"]) for r in db.many(conn, "identities_of_person", dict, person=person)]


def names(conn: db.Conn, ids: list[str]) -> dict[str, str]:
    """Names by id; ids that nobody has are left out."""
    return {r["id"]: r["name"] for r in db.many(conn, "person_names", dict, ids=ids)}


def holders(conn: db.Conn, role: str) -> list[tuple[str, str]]:
    """(id, name) of the active people who hold a role."""
    return [(r["id"], r["name"]) for r in db.many(conn, "role_holders", dict, role=role)]

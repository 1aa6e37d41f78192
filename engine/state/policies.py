"""The verbs of policy: apply a version, read the one in force. A version is immutable; the text is kept as finance wrote it."""

from collections.abc import Sequence
from typing import Any

from engine.errors import Conflict, Misconfigured, PolicyUnreadable
from engine.rules import digest, policy_file
from engine.rules.documents import DocumentFaults
from engine.rules.people import People
from engine.rules.policy import Policy
from engine.rules.policy_arguments import Takes
from engine.state import db


def apply(
    conn: db.Conn, text: str, people: People, *, actor: str, surface: str = "cli", tools: Sequence[Takes] = ()
) -> tuple[str, bool]:
    """Put a policy in force; its version, and whether anything changed. It is judged by these people and tools.

    Raises DocumentFaults, or Conflict if the version's name stands for another text or for one that a later version replaced.
    """
    policy = policy_file.check(text, people, tools)
    row = db.system_move(conn, "apply_policy", version=policy.version, document=text,
                  digest=digest.digest("placet.policy.v1", text), actor=actor, surface=surface)  # fmt: skip
    match row["outcome"]:
        case "other_content":
            raise Conflict(
                f"{policy.version} is on record with another text. A version is never changed: give this one a new name.",
                stands=policy.version,
            )
        case "older":
            raise Conflict(
                f"{policy.version} was in force before and was replaced. To go back to it, give its text a new name.",
                stands=policy.version,
            )
        case outcome:
            return policy.version, outcome == "applied"


def off_record(conn: db.Conn) -> list[str]:
    """Versions of which the record does not tell, or tells another text."""
    return [row["version"] for row in db.many(conn, "policies_off_record", dict, id=db.SYSTEM_RUN)]


def current(conn: db.Conn) -> Policy:
    """The policy in force. Raises Misconfigured if none was ever applied: then nothing with an effect may be done; or PolicyUnreadable."""
    return in_force(db.one(conn, "current_policy", dict))


def in_force(row: dict[str, Any] | None) -> Policy:
    """The policy of a row that has its version, document and digest; None: none was ever applied. Raises Misconfigured, or PolicyUnreadable."""
    if row is None:
        raise Misconfigured(["No policy is in force. Write one and apply it: placet policy apply policy.toml"])
    if not _intact(row):
        altered = f"The stored text of {row['version']} was altered after it was applied, so nothing with an effect may be done."
        raise Misconfigured([f"{altered} Find out by whom, and apply the policy anew under another name."])
    return _recalled(row)


def of_version(conn: db.Conn, version: str) -> Policy | None:
    """A policy that is or was in force; None if there is none of that name, or its text was altered. Raises PolicyUnreadable."""
    row = db.one(conn, "policy_of_version", dict, version=version)
    return _recalled(row) if row and _intact(row) else None


def _recalled(row: dict[str, Any]) -> Policy:
    try:
        return policy_file.recall(row["document"])
    except DocumentFaults as error:
        why = f"The policy {row['version']} cannot be read by this release, so nothing with an effect is done."
        fix = "Run the release that applied it, or apply one that this release reads: placet policy apply policy.toml"
        raise PolicyUnreadable([f"{why} {fix}. What it stumbles on: {error.faults[0]}"]) from error


def _intact(row: dict[str, Any]) -> bool:
    return digest.digest("placet.policy.v1", row["document"]) == str(row["digest"])

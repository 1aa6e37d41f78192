"""What the doctor sees of our own house: settings, agents, the database, and the people and the policy in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.cards.halts import stopped
from bot.doctor.findings import Finding, part_of
from engine.errors import Misconfigured
from engine.rules import policy_arguments, policy_lint
from engine.rules.people import People
from engine.rules.policy import Policy
from engine.settings import AgentModules, Database, Settings
from engine.state import db, halts, outage, people, policies
from engine.tools import Agent, load, taken


def settings(environ: Mapping[str, str]) -> list[Finding]:
    """Whether all that is needed is set, and fit."""
    try:
        Settings.from_env(environ)
    except Misconfigured as error:
        return [Finding("settings", "wrong", fault) for fault in error.faults]
    return [Finding("settings", "well", "All that is needed is set.")]


@dataclass(frozen=True, slots=True)
class Agents:
    """The agents that could be loaded, and what that came to."""

    finding: Finding
    loaded: Mapping[str, Agent]


def agents(environ: Mapping[str, str]) -> Agents:
    """Whether they load."""
    named = part_of(AgentModules, environ)
    if named is None:
        return Agents(Finding("agents", "look", "Not looked at: PLACET_AGENTS cannot be used."), {})
    try:
        loaded = load(named.agents)
    except Misconfigured as error:
        return Agents(Finding("agents", "wrong", " ".join(error.faults)), {})
    return Agents(Finding("agents", "well", f"Loaded: {', '.join(loaded)}."), loaded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """What the database says: who is who, and the policy in force; None where there is none, or none to be had."""

    findings: list[Finding]
    people: People = field(default_factory=lambda: People(()))
    policy: Policy | None = None


def rows(environ: Mapping[str, str]) -> Rows:
    """Whether the database can be worked with, and what is in it."""
    database = part_of(Database, environ)
    if database is None:
        return Rows(findings=[Finding("database", "look", "Not looked at: DATABASE_URL cannot be used.")])
    try:
        with db.none_held(database.database_url, size=1) as pool:
            if why := outage.unfit(pool):
                return Rows(findings=[Finding("database", "wrong", why)])
            with pool.connection() as conn:
                if behind := outage.behind(conn):
                    return Rows(findings=[Finding("database", "wrong", behind)])
                return _read(conn)
    except outage.Error as error:
        return Rows(findings=[Finding("database", "wrong", f"It cannot be used: {error}.")])


def _read(conn: db.Conn) -> Rows:
    findings = [Finding("database", "well", "It takes writes, and its tables are of this release.")]
    if halt := halts.standing(conn):
        findings.append(
            Finding("effects", "look", f"{stopped(halt)} To let them go on: placet resume-effects --as PERSON")
        )
    everybody = people.everybody(conn)
    active = [person for person in everybody if person.active]
    if not active:
        findings.append(
            Finding(
                "people", "wrong", "Nobody is on file. Write people.toml, and run: placet people import people.toml"
            )
        )
    if any(person.active and "operator" in person.roles for person in everybody):
        findings.append(Finding("people", "well", f"{len(active)} active."))
    elif active:
        findings.append(
            Finding(
                "people",
                "wrong",
                "Nobody has the role operator, who may halt everything. Give it to somebody in people.toml.",
            )
        )
    try:
        policy = policies.current(conn)
    except Misconfigured as error:
        return Rows(findings=[*findings, Finding("policy", "wrong", " ".join(error.faults))], people=everybody)
    return Rows(
        findings=[*findings, Finding("policy", "well", f"{policy.version} is in force.")],
        people=everybody,
        policy=policy,
    )


def together(loaded: Mapping[str, Agent], policy: Policy, everybody: People) -> list[Finding]:
    """What agents, policy and people are for each other."""
    faults = policy_lint.against_people(policy.rules, everybody)
    faults += policy_arguments.against_tools(policy.rules, taken(loaded))
    found = [Finding("policy", "wrong", f"{fault.field}: {fault.why} {fault.fix}") for fault in faults]
    named = {rule.action for rule in policy.rules}
    for agent in loaded.values():
        unnamed = sorted({action for tool in agent.tools.values() if (action := tool.ruled_by)} - named)
        if unnamed:
            why = f"No rule names {', '.join(unnamed)}, so {agent.name} may never do that. Write a rule for it, if it is to be asked or allowed."
            found.append(Finding("policy", "look", why))
    return found

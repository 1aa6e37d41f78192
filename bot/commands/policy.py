"""`placet policy`: check a policy, put it in force, compare two, try cases, and explain what it asks for."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.text import Text

from bot.commands import changes, needs
from bot.commands.policy_explain import explain
from bot.commands.policy_sources import (
    NOBODY,
    WITHOUT_PEOPLE,
    AgentModules,
    PeopleFile,
    PolicyFile,
    in_force,
    named,
    tools_of,
    who_is_who,
    without_tool,
)
from bot.commands.terminal import (
    Exit,
    complain,
    database,
    from_here,
    known,
    plain,
    read_people,
    read_text,
    say,
    several,
    show,
    table,
)
from engine.rules import policy_cases, policy_diff, policy_file
from engine.rules.policy_cases import Judged
from engine.state import people, policies

app = typer.Typer()
policy = typer.Typer(no_args_is_help=True)
app.add_typer(policy, name="policy", help="Check a policy, put it in force, compare two, try cases, or explain it.")
policy.command()(explain)


@policy.command()
def check(file: PolicyFile, people_file: PeopleFile = None, agents: AgentModules = "") -> None:
    """Say everything that is wrong with a policy; write nothing."""
    text, everybody, tools = read_text(file), who_is_who(people_file), tools_of(agents)
    found = policy_file.check(text, everybody, tools.taken)
    fit = "reads well by itself" if everybody is None else "can be put in force"
    say(f"{found.version} {fit}: {several(len(found.rules), 'rule')}, nothing wrong.")
    if everybody is None:
        say(WITHOUT_PEOPLE)
    if tools.unchecked:
        say(tools.unchecked)
    for action in without_tool(found, tools):
        say(f"No tool of these agents has the action {action}, so names of its arguments were not checked.")


@policy.command()
def apply(
    file: PolicyFile,
    people_file: PeopleFile = None,
    agents: AgentModules = "",
    person: Annotated[str, typer.Option("--as", metavar="PERSON", help="Who does this; the system, if left out.")] = "",
) -> None:
    """Put a policy in force. A version is never changed: another text needs another name."""
    text, tools = read_text(file), tools_of(agents)
    given = read_people(people_file) if people_file else None
    with database() as conn:
        everybody = people.everybody(conn)
        by = known(everybody, person, "--as").id if person else "system"
        before = changes.in_force(conn)
        version, changed = policies.apply(
            conn, text, given or everybody, actor=by, surface=from_here(), tools=tools.taken
        )
    say(f"{version} is in force." if changed else f"{version} is in force already; nothing was changed.")
    if changed and tools.unchecked:
        say(tools.unchecked)
    counted = before.windows if before else {}
    for action in policy_file.recall(text).windows if changed else ():
        if action not in counted:
            say(
                f"Of {action}, what was paid before now was not counted: what goes to one payee counts together from here on."
            )


@policy.command()
def diff(
    old: Annotated[str, typer.Argument(help="A policy.toml, or a version on record.")],
    new: Annotated[str, typer.Argument(help="Another.")],
) -> None:
    """Say what a new policy changes: for which actions, what they needed, and what they need now."""
    before, now = named(old), named(new)
    found = policy_diff.changes(before, now)
    windows, unclear = policy_diff.windows(before, now), policy_diff.unclear(before, now)
    if not found and not windows and not unclear:
        say(f"{now.version} asks for exactly what {before.version} asks for.")
        return
    if found:
        made = table("action", "for", f"{before.version}", f"{now.version}")
        for change in found:
            made.add_row(change.action, Text(plain(change.extent)), *(Text(told) for told in needs.changed(change)))
        show(made)
    for action, was, becomes in windows:
        say(f"Of {action}: by {before.version}, {needs.together(was)}; by {now.version}, {needs.together(becomes)}.")
    for action, extent in unclear:
        complain(
            f"Of {', '.join(filter(None, (action, extent)))}: the rules differ, and their conditions tell more kinds of calls apart than can be "
            "compared one by one. Read both, and try the calls that matter: placet policy test."
        )


@policy.command(name="test")
def try_cases(
    file: Annotated[
        Path, typer.Argument(metavar="CASES.toml", help=escape("[[case]] tables: an action, and what it is to need."))
    ],
    policy_given: Annotated[
        str, typer.Option("--policy", metavar="POLICY", help="A policy.toml or a version; else the one in force.")
    ] = "",
    people_file: PeopleFile = None,
) -> None:
    """Try cases kept beside the policy; the exit code is 4 if one is not as expected."""
    cases = policy_cases.read(read_text(file))
    found = named(policy_given) if policy_given else in_force()
    everybody = who_is_who(people_file)
    judged = [policy_cases.judge(case, found, everybody or NOBODY) for case in cases]
    made = table("case", "what it needs", "by rule", "")
    for one in judged:
        what = needs.in_words(one.need, one.approver, everybody or NOBODY)
        made.add_row(
            Text(plain(one.case.name)),
            Text(what),
            Text(plain(one.need.rule)),
            Text(plain("; ".join(one.wrong)) or "as expected"),
        )
    show(made)
    _sum_up(judged)


def _sum_up(judged: list[Judged]) -> None:
    if wrong := [one.case.name for one in judged if one.wrong]:
        are = "is" if len(wrong) == 1 else "are"
        complain(
            f"{len(wrong)} of {several(len(judged), 'case')} {are} not as expected: {', '.join(map(plain, wrong))}."
        )
        raise typer.Exit(Exit.ALARM)
    say("The one case is as expected." if len(judged) == 1 else f"All {len(judged)} cases are as expected.")

"""`placet` on the command line: which commands there are, and where each lives. What they do is in bot/commands, by subject.

A command's module is imported when it is called, so that none waits for what another needs. The one rule: nothing that is expected to
go wrong ends in a traceback; it ends in a sentence on stderr and an exit code.
"""

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import typer
from typer.core import TyperGroup

_WHERE: Final[Mapping[str, str]] = {
    "demo": "processes",
    "serve": "processes",
    "tick": "processes",
    "answer": "processes",
    "migrate": "processes",
    "manifest": "manifest",
    "doctor": "doctor",
    "launch": "launch",
    "runs": "runs",
    "show": "show",
    "pending": "decisions",
    "decisions": "decided",
    "approve": "decisions",
    "deny": "decisions",
    "withdraw": "decisions",
    "ask": "inquiries",
    "reply": "inquiries",
    "again": "again",
    "pause": "runs",
    "resume": "runs",
    "cancel": "runs",
    "halt": "halts",
    "resume-effects": "halts",
    "away": "absences",
    "back": "absences",
    "doubt": "doubts",
    "resolve": "doubts",
    "people": "people",
    "policy": "policy",
    "audit": "audit",
    "version": "processes",
}
"""From a command to its module in bot/commands, in the order of `placet --help`."""


class _Commands(TyperGroup):
    """The commands, each loaded when it is needed; and the one place where errors become sentences."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # noqa: ARG002  its caller's word
        return list(_WHERE)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]  # noqa: ARG002
        if cmd_name not in _WHERE:
            return None
        module = importlib.import_module(f"bot.commands.{_WHERE[cmd_name]}")
        return typer.main.get_group(module.app).commands[cmd_name]

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        rest = list(ctx.args)
        try:
            return super().invoke(ctx)
        except Exception as error:
            from bot.commands import failures, terminal  # noqa: PLC0415  only what fails needs them

            failure = failures.told(error, [ctx.invoked_subcommand or "", *rest])
            if failure is None:
                raise
            terminal.complain(*failure.lines)
            raise typer.Exit(failure.code) from error


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},  # every command below takes them over
    pretty_exceptions_enable=False,  # they would print the values of variables, secrets among them
    epilog="Exit codes: 0 done, 1 out of reach, 2 asked wrongly, 3 lost or refused, 4 a person must look.",
)


@app.callback()
def placet() -> None:
    """An agent stops at a consequential step, waits for a person's yes, and does exactly what was approved, once."""


def main() -> None:
    """The entry point of the `placet` script. Modules in the current directory can be named too, as agents are."""
    here = str(Path.cwd())
    if not {"", here} & set(sys.path):
        sys.path.append(here)  # last: a folder there that is called bot or engine must not hide ours
    app(prog_name="placet")


if __name__ == "__main__":
    main()

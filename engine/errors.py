"""What can go wrong, as exceptions; expected losses are values instead (models.py).

EngineError
|-- BadInput        422   what was asked cannot be read; `field` names it, nothing was written
|-- NotFound        404   the run, pause or effect does not exist
|-- Conflict        409   the row is not in a status that allows this; `stands` says what holds
|-- LeaseLost        -    another worker has the run: stop, touch nothing
|-- QuoteUnavailable -    the present price cannot be had: told to the model, nobody is asked
|-- ProviderRefused  -    the provider surely did nothing, and says why
|-- Unknown          -    nobody can tell whether it happened: never taken for "no"
`-- Misconfigured    -    a setting, policy or agent is not fit to start with; all faults at once
    `-- PolicyUnreadable -  the policy in force is of another release: what needs it waits
"""


class EngineError(Exception):
    """The root of what this engine raises on purpose. The message says what happened, why, and what to do next."""


class BadInput(EngineError):
    """What was asked cannot be read."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
        self.why = why


class NotFound(EngineError):
    """The run, pause or effect does not exist."""


class Conflict(EngineError):
    """The row is not in a status that allows this."""

    def __init__(self, message: str, stands: str) -> None:
        super().__init__(message)
        self.stands = stands


class LeaseLost(EngineError):
    """Another worker has the run."""


class QuoteUnavailable(EngineError):
    """The present price cannot be had."""


class ProviderRefused(EngineError):
    """The provider surely did nothing, and says why. A tool raises it; anything else it raises counts as unknown."""


class Unknown(EngineError):
    """Nobody can tell whether an effect happened."""


class Misconfigured(EngineError):
    """Not fit to start with. `faults` are all of them, each saying what to do."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


class PolicyUnreadable(Misconfigured):
    """A policy that was applied cannot be read by this process; another may."""

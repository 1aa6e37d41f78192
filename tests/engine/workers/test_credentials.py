"""Credentials in the hands of a worker: who mints which, for how long one is kept, and when it is given back."""

import threading
from collections.abc import Sequence

import pytest

from engine.tool import Effect
from engine.workers.credentials import Borrowed, Directory, Grant, GrantGone, Minted, PerTool, Unreachable
from engine.workers.loans import Loans

KEYED = Grant(requester="priya", acts_as="agent:a", action="payment", scopes=("payments:write",), variable="SOME_KEY")
SERVED = Grant(
    requester="priya", acts_as="agent:a", action="payment", scopes=("payments:write",), audience="https://p.example"
)
FREE = Grant(requester="priya", acts_as="agent:a", action="release", scopes=())


class Server:
    """Stands for an identity server: what it mints ends after so many seconds, and some things no longer hold."""

    def __init__(self, *ends: float | None) -> None:
        self.ends = list(ends)
        self.back: list[str] = []
        self.dead: set[str] = set()
        self.minted = 0

    def mint(self, grant: Grant) -> Minted | GrantGone | Unreachable:
        if not self.ends:
            return Unreachable("It is away.")
        self.minted += 1
        return Minted(f"token-{self.minted}", ends=self.ends.pop(0), lent_for=grant.requester)

    def holds(self, minted: Minted) -> bool:
        return minted.credential not in self.dead

    def give_back(self, minted: Minted) -> None:
        self.back.append(minted.credential)


# ------------------------------------------------------------------------------------------------------------- who mints


def test_the_directory_reads_the_key_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("first", "rotated"):
        monkeypatch.setenv("SOME_KEY", key)
        assert Directory().mint(KEYED) == Minted(key)
    monkeypatch.delenv("SOME_KEY")
    gone = Directory().mint(KEYED)
    assert gone == GrantGone("The provider's key is not set here (SOME_KEY).", "Set it and launch again.")
    assert isinstance(gone, GrantGone)
    assert gone.undone == ("The provider's key is not set here (SOME_KEY). Nothing was done. Set it and launch again.")
    assert Directory().mint(FREE) == Minted("")


def test_the_directory_has_no_tokens() -> None:
    gone = Directory().mint(SERVED)
    assert isinstance(gone, GrantGone)
    assert gone.why == "No identity server is set here (PLACET_OAUTH_ISSUER), and this tool needs one."


def test_each_tool_has_its_own_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "key")
    server = Server(300)
    both = PerTool(server=server)
    assert both.mint(KEYED) == Minted("key")
    lent = both.mint(SERVED)
    assert isinstance(lent, Minted)
    assert lent.credential == "token-1"
    server.dead.add("key")
    server.dead.add("token-1")
    assert (both.holds(Minted("key")), both.holds(lent)) == (True, False)
    both.give_back(Minted("key"))
    both.give_back(lent)
    assert server.back == ["token-1"]


def test_none_of_them_shows_when_what_holds_it_is_printed() -> None:
    effect = Effect(attempt_key="k", effect_key="e", metadata={}, credential="hidden", timeout_s=1, since=0)
    assert "hidden" not in f"{effect!r} {effect} {Minted('hidden')!r} {Minted('hidden')}"


# ------------------------------------------------------------------------------------------------------ for how long it is kept


def test_what_is_at_hand_is_used_as_long_as_it_outlasts_the_call() -> None:
    server, hours = Server(100, 300), [0.0]
    borrowed = Borrowed(server, SERVED, clock=lambda: hours[0])
    first = borrowed.mint(25)
    hours[0] = 70  # 25 for the call and 5 to spare are left exactly
    assert borrowed.mint(25) is first
    hours[0] = 70.1
    second = borrowed.mint(25)
    assert second is not first
    assert server.back == ["token-1"]
    borrowed.give_back()
    borrowed.give_back()
    assert server.back == ["token-1", "token-2"]


def test_what_does_not_end_by_itself_is_minted_once() -> None:
    server = Server(None, None)
    borrowed = Borrowed(server, SERVED, clock=lambda: 1e9)
    assert borrowed.mint(1) is borrowed.mint(1e6)


def test_what_was_minted_a_moment_ago_is_used_however_short_it_is() -> None:
    server = Server(10, 10)
    borrowed = Borrowed(server, SERVED, clock=lambda: 0.0)
    assert isinstance(borrowed.mint(60), Minted)
    assert isinstance(borrowed.mint(60), Minted)
    assert server.back == ["token-1"]


def test_nothing_is_at_hand_after_a_source_that_has_none() -> None:
    server = Server(1)
    borrowed = Borrowed(server, SERVED, clock=lambda: 0.0)
    borrowed.mint(1)
    assert borrowed.mint(1) == Unreachable("It is away.")
    borrowed.give_back()
    assert server.back == ["token-1"]


def test_one_that_holds_no_more_has_failed_and_is_not_used_again() -> None:
    server = Server(300, 300)
    borrowed = Borrowed(server, SERVED, clock=lambda: 0.0)
    assert not borrowed.failed()
    borrowed.mint(1)
    assert not borrowed.failed()
    server.dead.add("token-1")
    assert borrowed.failed()
    second = borrowed.mint(1)
    assert isinstance(second, Minted)
    assert second.credential == "token-2"


# ------------------------------------------------------------------------------------------------------- when it is given back


def test_none_is_revoked_while_another_of_the_same_person_is_out() -> None:
    loans = Loans()
    revoked: list[list[str]] = []

    def revoke(back: Sequence[Minted]) -> None:
        revoked.append([one.credential for one in back])

    for person in ("priya", "priya", "marta"):
        loans.take(person)
    loans.bring("priya", Minted("p1"), revoke)
    assert revoked == []
    loans.bring("marta", Minted("m1"), revoke)
    loans.bring("priya", None, revoke)
    assert revoked == [["m1"], ["p1"]]
    loans.take("priya")
    loans.bring("priya", None, revoke)
    assert revoked == [["m1"], ["p1"]]


def test_what_ran_out_meanwhile_need_not_be_revoked() -> None:
    loans = Loans()
    revoked: list[str] = []
    loans.take("priya")
    loans.take("priya")
    loans.take("priya")
    loans.bring("priya", Minted("long ago", ends=0.0), lambda _: None)
    loans.bring("priya", Minted("endless"), lambda _: None)
    loans.bring("priya", None, lambda back: revoked.extend(one.credential for one in back))
    assert revoked == ["endless"]


def test_who_needs_one_waits_until_those_before_are_revoked() -> None:
    loans, revoking, go_on, taken = Loans(), threading.Event(), threading.Event(), threading.Event()

    def revoke(_: Sequence[Minted]) -> None:
        revoking.set()
        assert go_on.wait(10)

    def take() -> None:
        loans.take("priya")
        taken.set()

    loans.take("priya")
    first = threading.Thread(target=loans.bring, args=("priya", Minted("p1"), revoke))
    first.start()
    assert revoking.wait(10)
    loans.take("marta")  # nobody else waits
    second = threading.Thread(target=take)
    second.start()
    assert not taken.wait(0.05)
    go_on.set()
    assert taken.wait(10)
    first.join()
    second.join()


def test_a_revocation_that_fails_keeps_nobody_waiting() -> None:
    loans = Loans()

    def fails(_: Sequence[Minted]) -> None:
        raise OSError("a bug")

    loans.take("priya")
    with pytest.raises(OSError, match="a bug"):
        loans.bring("priya", Minted("p1"), fails)
    loans.take("priya")

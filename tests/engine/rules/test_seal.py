"""Seals: what a key must be, what a seal covers, and what one is worth to whoever has which keys."""

import hmac
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rules import seal
from engine.rules.seal import NO_KEYS, Keys, approval, check

OLD, NEW = (bytes(range(n, n + 32)).hex() for n in (1, 101))
ONE = Keys.parse(f"k1:{OLD}")
BOTH = Keys.parse(f"k2:{NEW}, k1:{OLD}")
OTHER = Keys.parse(f"k1:{NEW}")
ASKED = seal.of_pause("p1", "d" * 64)
SAID: dict[str, Any] = {"person": "marta", "verdict": "approve", "surface": "slack:card", "reason": "Fine."}
VOTE = seal.of_vote("p1", "d" * 64, **SAID)


def mac(kind: str, text: str) -> str:
    return hmac.new(bytes.fromhex(OLD), f"placet.seal.{kind}.v1\0{text}".encode(), "sha256").hexdigest()


def test_a_seal_holds_for_exactly_what_it_is_of() -> None:
    made = seal.seal(ONE, "vote", VOTE)
    assert check(ONE, made, "vote", VOTE) == "holds"
    assert check(ONE, made, "pause", VOTE) == "forged"  # made for one purpose, it never passes for another


def test_a_seal_is_made_as_those_that_are_stored_were() -> None:
    asked = '{"digest":"d1","pause_id":"p1"}'
    voted = (
        '{"digest":"d1","pause_id":"p1","person":"marta","reason":"Fine.","surface":"slack:card","verdict":"approve"}'
    )
    keys = Keys.parse(f"k1:{OLD}")
    assert seal.seal(keys, "pause", seal.of_pause("p1", "d1")) == f"k1:{mac('pause', asked)}"
    assert seal.seal(keys, "vote", seal.of_vote("p1", "d1", **SAID)) == f"k1:{mac('vote', voted)}"


@pytest.mark.parametrize(
    "change",
    [
        {"pause_id": "p2"}, {"digest": "e" * 64}, {"person": "ines"}, {"verdict": "deny"}, {"surface": "cli"}, {"reason": "Fine"},
        {"reason": None}, {"level": 1},
    ],
)  # fmt: skip
def test_a_seal_is_of_nothing_else(change: dict[str, Any]) -> None:
    assert check(ONE, seal.seal(ONE, "vote", VOTE), "vote", VOTE | change) == "forged"


def test_no_reason_and_an_empty_one_are_the_same() -> None:
    assert seal.of_vote("p", "d", **SAID | {"reason": ""}) == seal.of_vote("p", "d", **SAID | {"reason": None})


def test_the_first_key_seals_and_all_of_them_verify() -> None:
    before, after = seal.seal(ONE, "pause", ASKED), seal.seal(BOTH, "pause", ASKED)
    assert before is not None
    assert after is not None
    assert (before.partition(":")[0], after.partition(":")[0]) == ("k1", "k2")
    assert [check(BOTH, text, "pause", ASKED) for text in (before, after)] == ["holds", "holds"]
    assert check(ONE, after, "pause", ASKED) == "unknown"


def test_another_key_of_the_same_id_forges_nothing() -> None:
    assert check(ONE, seal.seal(OTHER, "pause", ASKED), "pause", ASKED) == "forged"


@pytest.mark.parametrize(
    ("keys", "text", "worth"),
    [
        (NO_KEYS, None, "off"), (NO_KEYS, "k1:00", "keyless"), (ONE, None, "before"), (ONE, "", "before"), (ONE, "k1:", "forged"),
        (ONE, "k1:é", "forged"), (ONE, "k9:00", "unknown"), (ONE, "00", "unknown"), (ONE, f"k1:{OLD}", "forged"),
        (ONE, "k1:00:00", "forged"),
    ],
)  # fmt: skip
def test_what_is_no_seal_of_ours_is_worth_nothing(keys: Keys, text: str | None, worth: str) -> None:
    assert check(keys, text, "pause", ASKED) == worth


def test_without_keys_nothing_is_sealed() -> None:
    assert seal.seal(NO_KEYS, "pause", ASKED) is None


@given(st.text(), st.text(), st.text(), st.text())
def test_no_part_of_a_vote_can_pass_for_the_next(a: str, b: str, c: str, d: str) -> None:
    """Texts that only meet in the middle never give the same document."""
    one, other = SAID | {"person": a, "surface": b}, SAID | {"person": c, "surface": d}
    assert ((a, b) == (c, d)) == (seal.of_vote("p", "d", **one) == seal.of_vote("p", "d", **other))


# ------------------------------------------------------------------------------------------------------------- approvals

YES = ("marta", "holds")


@pytest.mark.parametrize(
    ("yes", "needed", "worth"),
    [
        ([YES], 1, "holds"),
        ([YES, ("ines", "holds")], 2, "holds"),
        ([YES], 2, "forged"),  # the status says two
        ([YES, YES], 2, "forged"),  # one person twice
        ([YES, ("priya", "holds")], 2, "forged"),  # the requester
        ([], 1, "forged"),
        ([YES, ("ines", "forged")], 1, "forged"),
        ([YES, ("ines", "before")], 2, "forged"),  # a seal that was taken away
        ([YES, ("ines", "unknown")], 2, "unknown"),
        ([YES, ("ines", "unknown")], 1, "holds"),
    ],
)
def test_an_approval_holds_with_as_many_seals_as_people_were_needed(yes: Any, needed: int, worth: str) -> None:
    assert approval(ONE, yes, needed=needed, requester="priya") == worth


def test_without_keys_an_approval_says_whether_it_was_sealed() -> None:
    assert approval(NO_KEYS, [("marta", "off")], needed=1, requester="priya") == "off"
    assert approval(NO_KEYS, [("marta", "keyless")], needed=1, requester="priya") == "keyless"


# ------------------------------------------------------------------------------------------------------------------ keys


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "key 1 does not read id:hex"),
        (OLD, "key 1 does not read id:hex"),
        (f"K1:{OLD}", "key 1 does not read id:hex"),
        (f"k1:{OLD},", "key 2 does not read id:hex"),
        (f"k1:{OLD}0", "key 1 does not read id:hex"),
        (f"k1:{OLD[:62]}", "key k1 has 31 bytes, and a key has at least 32"),
        (f"k1:{OLD},k1:{NEW}", "two keys have the id k1"),
        (f"k1:{'ab' * 32}", "key k1 is no random one"),
        (f"k1:{bytes([*range(7), *[0] * 25]).hex()}", "key k1 is no random one"),
    ],
)
def test_a_key_that_is_none_is_refused_without_being_shown(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{why}") as refused:
        Keys.parse(text)
    assert OLD[:16] not in str(refused.value)


def test_eight_different_bytes_pass_for_random() -> None:
    assert Keys.parse(f"k1:{bytes([*range(8), *[0] * 24]).hex()}")


def test_keys_do_not_show_when_they_are_printed() -> None:
    assert OLD not in repr(ONE)
    assert str(bytes.fromhex(OLD)) not in repr(ONE)

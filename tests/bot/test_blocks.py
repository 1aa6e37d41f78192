"""The card shows exactly what is asked and where it stands; what does not fit cannot be approved on it."""

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cards import ids
from bot.cards.blocks import card
from bot.cards.parts import Message
from engine.models import Line, Pause, PauseStatus, Superseded, Vote
from engine.rules.money import Money
from engine.rules.needs import Step
from tests.bot.asked import CONTENT, DECIDED, ENV, LINES, NEED, by_marta, content, pause, statuses
from tests.bot.painted import ATTACKS, parts_of, pressed, read, taken, words

Kind = Literal["approver", "requester"]
KINDS: tuple[Kind, ...] = ("approver", "requester")
LONG = "y" * 9_000


def approver(asked: Pause, level: int = 0) -> Message:
    message = card(asked, kind="approver", level=level, env=ENV)
    taken(message)
    return message


def requester(asked: Pause) -> Message:
    message = card(asked, kind="requester", level=0, env=ENV)
    taken(message)
    return message


# ------------------------------------------------------------------------------------------------------------ who may what


def test_only_the_card_of_the_present_level_decides() -> None:
    escalated = pause(level=1, approver="person:otto", approver_name="Otto Brandt")
    assert pressed(approver(escalated, level=1).blocks) == ["Approve", "Deny", "Ask Priya Nair …", "Details"]
    old = approver(escalated, level=0)
    assert pressed(old.blocks) == []
    assert "it is with Otto Brandt now" in read(old.blocks)


@pytest.mark.parametrize("name", [name for name in statuses() if not name.startswith("waiting")])
def test_a_settled_card_decides_nothing(name: str) -> None:
    assert set(pressed(approver(statuses()[name]).blocks)) <= {"Details"}


def test_an_altered_request_says_so_and_has_no_button() -> None:
    for kind in KINDS:
        message = card(pause(None), kind=kind, level=0, env=ENV)
        taken(message)
        assert "was altered after it was stored" in message.text
        assert pressed(message.blocks) == []


def test_an_altered_request_that_was_settled_still_says_how() -> None:
    blocks = approver(pause(None, status="denied", **by_marta("deny", "no"))).blocks
    assert "Denied by Marta Keller (marta)" in read(blocks)


def test_a_button_carries_the_environment_the_pause_and_what_was_shown() -> None:
    asked = pause()
    values = {part["value"] for part in parts_of(approver(asked).blocks) if part.get("type") == "button"}
    assert [ids.decode(value) for value in values] == [ids.Button(ENV, asked.id, asked.digest[:8])]
    actions = [part["action_id"] for part in parts_of(approver(asked).blocks) if part.get("type") == "button"]
    assert all(ids.ACTION_PATTERN.match(action) for action in actions)


def test_the_requester_may_withdraw_until_something_has_begun() -> None:
    assert pressed(requester(pause()).blocks) == ["Withdraw"]
    approved = pause(status="approved", **by_marta())
    assert pressed(requester(approved).blocks) == ["Withdraw", "Details"]
    assert pressed(requester(replace(approved, effect_status="attempted", open_effects=1)).blocks) == ["Details"]
    assert pressed(requester(replace(approved, open_effects=1)).blocks) == ["Details"]
    assert pressed(requester(statuses()["denied"]).blocks) == ["Details"]


def test_the_requester_may_ask_again_for_what_lapsed_until_they_have() -> None:
    for name in ("expired", "cancelled_withdrawn", "voided"):
        assert pressed(requester(statuses()[name]).blocks) == ["Ask again", "Details"]
        assert pressed(approver(statuses()[name]).blocks) == ["Details"]
    for name in ("denied", "cancelled_sibling", "superseded", "executed", "failed"):
        assert pressed(requester(statuses()[name]).blocks) == ["Details"]
    asked = requester(statuses()["expired_asked_again"])
    assert pressed(asked.blocks) == ["Details"]
    assert "Expired, asked again" in read(asked.blocks)
    assert "nothing was done. Asked again in run_77aa01." in read(asked.blocks)


# --------------------------------------------------------------------------------------------------------- what is on it


def test_everything_that_decides_is_on_the_card() -> None:
    asked = pause()
    text = read(approver(asked).blocks)
    expected = [
        "Approve a payment?", CONTENT.summary, *(f"{line.label}\n  {line.value}" for line in LINES), "procurement agent",
        "may move by 2 % either way", "Priya Nair", "rule “large payment”, fin-approvals-v4", "Why, in the agent's words",
        CONTENT.explanation, "Fri 17 Jul 2026, 13:19 UTC", "it goes to the next manager above Marta Keller", "Tue 21 Jul 2026, 13:19 UTC",
        f"pause_5d21ab · {asked.digest[:4]} {asked.digest[4:8]}",
    ]  # fmt: skip
    assert [fact for fact in expected if fact not in text] == []


SPENT = "With EUR 900.00 paid or begun to sup_377 within 1 day before, it counts as EUR 1,800.00."


@pytest.mark.parametrize("card_of", [approver, requester])
def test_a_small_amount_that_counts_with_earlier_ones_says_so_above_the_deadline(
    card_of: Callable[[Pause], Message],
) -> None:
    needed = replace(NEED, why=f"It is over EUR 1,000.00. {SPENT}")
    lines = read(card_of(pause(content(need=needed))).blocks).split("\n")
    assert lines.index(SPENT) < next(at for at, line in enumerate(lines) if "If nobody answers" in line)
    assert SPENT not in read(card_of(pause()).blocks)


@pytest.mark.parametrize("payee", ["&" * 2_500, "sup\n_1\u202e", *ATTACKS])
def test_whatever_the_payee_is_called_the_card_is_taken_and_no_approval_is_offered_on_half_of_it(payee: str) -> None:
    why = f"It is over EUR 1,000.00. {SPENT.replace('sup_377', payee)}"
    message = approver(pause(content(need=replace(NEED, why=why))))
    offered, said = "Approve" in pressed(message.blocks), "paid or begun to" in read(message.blocks)
    assert offered is said


def test_the_agents_words_stand_below_the_facts() -> None:
    text = read(approver(pause(content(explanation="EUR 10.00 to Bob"))).blocks)
    assert text.index("EUR 38,000.00") < text.index("Why, in the agent's words") < text.index("EUR 10.00 to Bob")


def test_an_amount_that_no_line_says_is_shown_all_the_same() -> None:
    assert "Amount\n  EUR 38,000.00" in read(approver(pause(content(lines=LINES[:1], summary="pumps"))).blocks)
    assert read(approver(pause()).blocks).count("Amount\n") == 1


def test_silence_has_its_answer_on_the_card() -> None:
    final = pause(content(need=replace(NEED, on_expiry="deny", steps=())))
    assert "If nobody answers, it counts as not approved, and nothing is done." in read(approver(final).blocks)
    named = pause(
        content(need=replace(NEED, steps=(Step(person="ines", answer_within_s=60),))),
        step_names={"ines": "Ines Alonso"},
    )
    assert "it goes to Ines Alonso, if they may decide on it; else nothing is done." in read(approver(named).blocks)
    last = pause(level=1, approver="person:otto", approver_name="Otto Brandt")
    assert "If nobody answers, it counts as not approved" in read(approver(last, level=1).blocks)


def test_a_request_asked_again_says_why_and_what_changed() -> None:
    again = content(
        amount=Money(3_990_000, "EUR"),
        quote=None,
        supersedes=Superseded(pause_id=str(pause().id), why="The price moved.", was=Money(3_800_000, "EUR")),
    )
    text = read(approver(pause(again)).blocks)
    assert "Asked again: The price moved. Was EUR 38,000.00, now EUR 39,900.00." in text
    assert "It replaces pause_5d21ab." in text


def test_silence_after_some_approved_is_told_as_that_of_the_others() -> None:
    some = replace(statuses()["expired"], voters=("ines",), votes_left=1)
    for message in (approver(some), requester(some)):
        assert "1 of 2 approved; nobody else answered in time, so nothing was done." in read(message.blocks)
    moved = replace(statuses()["waiting_one_of_two"], level=1)
    assert "It needs another approval, and is yours to decide now." in read(approver(moved, level=1).blocks)


def test_a_timeout_is_nobodys_refusal() -> None:
    for message in (approver(statuses()["expired"]), requester(statuses()["expired"])):
        assert "Nobody answered in time" in read(message.blocks)
        assert "denied" not in (read(message.blocks) + message.text).lower()


def test_a_doubt_is_neither_done_nor_not_done() -> None:
    text = read(approver(statuses()["approved_in_doubt"]).blocks)
    assert "whether it happened is not known" in text
    assert "finance-approver" in text
    assert "not known" in read(approver(statuses()["failed_without_knowing"]).blocks).replace(
        "without knowing", "not known"
    )
    assert "was not done" not in read(approver(statuses()["failed_without_knowing"]).blocks)


BEGUN = pause(status="approved", **by_marta() | {"run_status": "queued"}, effect_status="attempted", open_effects=1)


@pytest.mark.parametrize(
    ("kept", "head", "says"),
    [
        ({"run_status": "paused"}, "Approved, on hold", "an operator holds the run."),
        ({"halted_by_name": "Otto Brandt"}, "Approved, halted", "Otto Brandt has stopped all actions for now."),
        (
            {"put_off_why": "The provider is away.", "put_off_to": DECIDED},
            "Approved, not done yet",
            "The provider is away.",
        ),
    ],
)
def test_what_was_begun_and_is_kept_from_going_on_is_not_being_worked_on(
    kept: dict[str, Any], head: str, says: str
) -> None:
    for kind in KINDS:
        text = read(card(replace(BEGUN, **kept), kind=kind, level=0, env=ENV).blocks)
        assert head in text
        assert f"It was begun, and what came of it is not known yet: {says}" in text
        assert "working on it" not in text
        assert "Nothing is done" not in text


def test_what_is_being_carried_out_is_worked_on_whatever_was_stopped_since() -> None:
    for halted_by in (None, "Otto Brandt"):
        under_way = replace(BEGUN, run_status="running", halted_by_name=halted_by)
        assert "working on it" in read(approver(under_way).blocks)


def test_a_decision_keeps_name_id_time_and_version() -> None:
    """U5: the card is read a month later, after Marta changed her name."""
    text = read(approver(statuses()["executed"]).blocks)
    for fact in ("Marta Keller (marta)", "Fri 17 Jul 2026, 12:02 UTC", "fin-approvals-v4", "id: ch_3Px"):
        assert fact in text


def test_a_receipt_shows_both_prices() -> None:
    text = read(approver(statuses()["executed"]).blocks)
    assert "quoted then: EUR 38,000.00" in text
    assert "quoted now: EUR 38,420.00" in text
    assert "amount: EUR 38,000.00" in text


@pytest.mark.parametrize(
    "receipt", [None, "ok", 7, [], {}, {"amount": {"amount": "x", "currency": "?"}}, {"a": {"b": 1}}]
)
def test_any_receipt_can_be_shown(receipt: Any) -> None:
    approver(replace(statuses()["executed"], receipt=receipt))


# ---------------------------------------------------------------------------------------------------------- never cut


@pytest.mark.parametrize("summary", ["x" * 2_990, "&" * 1_500, "\U0001f600" * 1_000])
def test_what_could_be_posted_can_be_edited(summary: str) -> None:
    """V1: the outcome has its room from the start."""
    asked = content(summary=summary)
    assert pressed(approver(pause(asked)).blocks)[:2] == ["Approve", "Deny"] or "&" in summary
    longest = by_marta("deny", "because " * 2_000)
    for status in get_args(PauseStatus):
        settled = longest if status != "waiting" else {}
        for error in (None, LONG):
            approver(
                pause(
                    asked,
                    status=status,
                    **settled,
                    effect_error=error,
                    receipt={f"k{n}{LONG}": LONG for n in range(20)},
                )
            )


def test_details_leave_first_and_are_counted() -> None:
    lines = (*LINES, Line(label="Body", value=LONG, detail=True), Line(label="Note", value="short", detail=True))
    message = approver(pause(content(lines=lines)))
    assert pressed(message.blocks) == ["Approve", "Deny", "Ask Priya Nair …", "Details"]
    assert "2 more details in Details" in read(message.blocks)
    assert "card ending 4417" in read(message.blocks)


def test_a_settled_card_says_first_what_became_of_it_and_leaves_the_rest_to_details() -> None:
    settled = approver(pause(status="denied", **by_marta("deny")))
    assert settled.blocks[0]["text"]["text"] == "Denied · EUR 38,000.00"
    assert CONTENT.summary in read(settled.blocks)
    assert CONTENT.explanation not in read(settled.blocks)
    assert pressed(settled.blocks) == ["Details"]


def test_whoever_is_asked_next_reads_that_nobody_answered_before_them() -> None:
    asked = pause(level=1, approver="person:otto", approver_name="Otto Brandt")
    assert "Nobody answered in time, so it is yours to decide now." in read(approver(asked, level=1).blocks)
    assert "yours to decide" not in read(approver(asked, level=0).blocks)
    assert "yours to decide" not in read(approver(pause()).blocks)


def test_facts_keep_their_order_whatever_their_length() -> None:
    lines = tuple(Line(label=f"Fact {n}", value="long " * 60 if n % 2 == 0 else "short") for n in range(6))
    text = read(approver(pause(content(lines=lines))).blocks)
    assert sorted(range(6), key=lambda n: text.index(f"Fact {n}")) == list(range(6))


def test_a_detail_that_fits_stays() -> None:
    text = read(approver(pause(content(lines=(*LINES, Line(label="Note", value="short", detail=True))))).blocks)
    assert "Note\n  short" in text
    assert "in Details" not in text


def test_a_long_reason_is_shortened_visibly_and_the_facts_are_not() -> None:
    message = approver(pause(content(explanation=LONG)))
    assert "… (all of it in Details)" in read(message.blocks)
    assert pressed(message.blocks) == ["Approve", "Deny", "Ask Priya Nair …", "Details"]
    tight = approver(pause(content(summary="x" * 3_400, explanation="y" * 1_400)))
    assert "x" * 2_900 in read(tight.blocks)
    assert "… (all of it in Details)" in read(tight.blocks)


def test_what_does_not_fit_cannot_be_approved_on_the_card() -> None:
    for asked in (content(lines=(*LINES, Line(label="Body", value=LONG))), content(summary=LONG)):
        message = approver(pause(asked))
        assert pressed(message.blocks) == ["Details"]
        assert "too long to be shown here whole" in read(message.blocks)
        assert "EUR 38,000.00" in read(message.blocks)


@given(value=st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=7_000))
@settings(max_examples=40, deadline=None)
def test_where_there_is_an_approve_button_every_line_is_whole(value: str) -> None:
    blocks = approver(pause(content(lines=(*LINES, Line(label="Target", value=value))))).blocks
    if "Approve" in pressed(blocks):
        assert value in "".join(part["text"] for part in parts_of(blocks) if isinstance(part.get("text"), str))


def test_a_title_too_long_for_a_heading_stands_whole_below_it() -> None:
    """V3."""
    title = "t" * 160
    assert title in read(approver(pause(content(title=title))).blocks)


def test_twenty_one_short_facts_are_all_there() -> None:
    """V3."""
    lines = tuple(Line(label=f"Fact {n}", value=str(n)) for n in range(21))
    text = read(approver(pause(content(lines=lines, amount=None))).blocks)
    assert all(f"Fact {n}\n  {n}" in text for n in range(21))


@pytest.mark.parametrize("kind", KINDS)
def test_long_names_break_no_limit(kind: Kind) -> None:
    """V3: a display name of 80 characters, and of any length."""
    for name in ("N" * 80, LONG):
        vote = Vote(person="x", name=name, verdict="approve", level=0, surface="s", at=DECIDED, reason=None)
        long = pause(
            content(need=replace(NEED, approvers=3), agent=name),
            approver_name=name,
            requester_name=name,
            votes=(vote, vote),
        )
        taken(card(long, kind=kind, level=0, env=ENV))


# --------------------------------------------------------------------------------------------------- text from outside


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_from_outside_is_alive_anywhere(attack: str) -> None:
    """V8 and the rest of them, in every field at once."""
    asked = content(
        title=attack, summary=attack, explanation=attack, agent=attack, acts_as=attack, lines=(Line(label=attack, value=attack),) * 3,
        need=replace(NEED, rule=attack, policy_version=attack, doubt_role=attack),
        quote=replace(CONTENT.quote, reference=attack) if CONTENT.quote else None,
        supersedes=Superseded(pause_id=str(pause().id), why=attack, was=None),
    )  # fmt: skip
    for status in get_args(PauseStatus):
        fields = {} if status == "waiting" else by_marta("deny", attack) | {"decided_by_name": attack}
        shown = pause(
            asked,
            status=status,
            approver_name=attack,
            requester_name=attack,
            effect_error=attack,
            receipt={attack: attack},
            **fields,
        )
        for kind in KINDS:
            taken(card(shown, kind=kind, level=0, env=ENV))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_text_in_any_field_gives_a_card_that_slack_takes(data: st.DataObject) -> None:
    asked = content(
        title=data.draw(words), summary=data.draw(words), explanation=data.draw(words), agent=data.draw(words),
        acts_as=data.draw(words),
        lines=tuple(Line(label=data.draw(words), value=data.draw(words), detail=data.draw(st.booleans()))
                    for _ in range(data.draw(st.integers(0, 14)))),
        amount=data.draw(st.sampled_from([None, Money(500, "JPY")])),
    )  # fmt: skip
    status = data.draw(st.sampled_from(get_args(PauseStatus)))
    fields = {} if status == "waiting" else by_marta("deny", data.draw(words)) | {"decided_by_name": data.draw(words)}
    shown = pause(asked, status=status, requester_name=data.draw(words), approver_name=data.draw(words), **fields)
    for kind in KINDS:
        taken(card(shown, kind=kind, level=data.draw(st.integers(0, 1)), env=ENV))


def test_hidden_characters_are_shown_and_warned_of() -> None:
    """V5."""
    lines = (
        Line(label="IBAN", value="DE12\u200b3400"),
        Line(label="File", value="report\u202efdp.exe"),
        Line(label="Shop", value="p\u0430ypal.com"),
        Line(label="Command", value="ls" + " " * 500 + "; drop"),
    )
    text = read(approver(pause(content(lines=lines))).blocks)
    for shown in (
        "DE12\\u{200B}3400",
        "report\\u{202E}fdp.exe",
        "ls⟨500 blanks⟩; drop",
        "“p\u0430ypal.com” (Cyrillic and Latin)",
    ):
        assert shown in text
    assert "⚠ Look closely before you decide." in text
    for label in ("IBAN", "File", "Shop", "Command"):
        assert f"• {label}: " in text
    assert not any(unicodedata.category(char) == "Cf" for char in text)


def test_a_value_cannot_pass_for_another_line() -> None:
    """A line break in a value puts it into a box of its own."""
    blocks = approver(pause(content(lines=(*LINES, Line(label="Note", value="ok\nAmount\nEUR 1.00"))))).blocks
    boxes = [part for part in parts_of(blocks) if part.get("type") == "rich_text_preformatted"]
    assert [box["elements"][0]["text"] for box in boxes] == ["ok\nAmount\nEUR 1.00"]

"""What a button and a modal carry is read back exactly, and anything else is nothing, never an error."""

from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.cards import ids
from bot.cards.ids import Button, Carried, decode, decode_carried, encode, encode_carried, screen_id

buttons = st.builds(
    Button,
    env=st.text(min_size=1, max_size=100),
    about=st.uuids(),
    shown=st.text("0123456789abcdef", min_size=8, max_size=8),
    attempt=st.none() | st.uuids(),
) | st.builds(
    Button, env=st.text(min_size=1, max_size=100), about=st.uuids(), shown=st.just("fa0f1d0b"), inquiry=st.integers(0, 999_999)
) | st.builds(
    Button, env=st.text(min_size=1, max_size=100), about=st.uuids(), shown=st.just("fa0f1d0b"), choice=st.integers(0, 99)
)  # fmt: skip
channels = st.none() | st.from_regex(r"[CDG][A-Z0-9]{2,12}", fullmatch=True)


@given(buttons)
def test_a_button_is_read_back_as_it_was_written(button: Button) -> None:
    assert decode(encode(button)) == button


@given(buttons, channels)
def test_what_a_modal_carries_is_read_back_as_it_was_written(button: Button, channel: str | None) -> None:
    carried = Carried(button, channel)
    assert decode_carried(encode_carried(carried)) == carried
    assert len(encode_carried(carried)) <= 3_000


@given(st.none() | st.integers() | st.text() | st.lists(st.text()))
@example("01890a5dac96774bbcceb3020a5d21ab.fa0f1d0b.")
@example("01890a5dac96774bbcceb3020a5d21ab.fa0f1d0b")
@example("01890A5DAC96774BBCCEB3020A5D21AB.fa0f1d0b.test")
@example("01890a5dac96774bbcceb3020a5d21ab.FA0F1D0B.test")
@example("01890a5dac96774bbcceb3020a5d21ab.fa0f1d0b?.test")
@example("01890a5dac96774bbcceb3020a5d21ab.fa0f1d0b?-1.test")
@example("01890a5dac96774bbcceb3020a5d21ab.fa0f1d0b?1234567.test")
@example("01890a5d-ac96-774b-bcce-b3020a5d21ab.fa0f1d0b.test")
def test_anything_else_is_nothing(value: object) -> None:
    assert decode(value) is None
    assert decode_carried(value) is None


@pytest.mark.parametrize("button", [Button("", UUID(int=1), "fa0f1d0b"), Button("e" * 101, UUID(int=1), "fa0f1d0b"),
                                    Button("e", UUID(int=1), "fa0f"), Button("e", UUID(int=1), "FA0F1D0B")])  # fmt: skip
def test_a_value_that_could_not_be_read_back_is_not_written(button: Button) -> None:
    with pytest.raises(ValueError, match="8 hex digits"):
        encode(button)


def test_every_action_of_ours_matches_the_one_pattern() -> None:
    actions = [
        value
        for name, value in vars(ids).items()
        if name.startswith(("ACTION_", "CALLBACK_")) and isinstance(value, str)
    ]
    assert len(actions) == 31
    assert len(set(actions)) == 31
    assert all(ids.ACTION_PATTERN.fullmatch(action) for action in actions)
    assert {ids.ACTION_PATTERN.fullmatch(ids.choose(n))["verb"] for n in range(5)} == {"choose"}  # type: ignore[index]
    assert not ids.ACTION_PATTERN.fullmatch("other:approve")


def test_an_id_on_screen_has_the_last_six_digits() -> None:
    row = UUID("01890a5d-ac96-774b-bcce-b3020a5d21ab")
    assert screen_id("pause", row) == screen_id("pause", str(row)) == "pause_5d21ab"

"""What is hidden is shown, what looks alike is named, and ordinary text of any language stays as it is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cards.seen import BLANKS, HIDDEN, Seen, one_line, seen, seen_line

ORDINARY = {
    "English": "Order PO-2026-0193: 40 pumps, 3 % off (naïve café) — “yes”…",
    "Arabic": "شركة النور للتجارة، المبلغ ٣٨٬٠٠٠",
    "Persian, with its joiner": "می\u200cخواهم",
    "Hebrew with points": "שָׁלוֹם עולם",
    "Japanese": "株式会社テスト\u3000Tシャツ３枚 ヴァイオリン",
    "Armenian": "Հայաստանի Հանրապետություն",
    "Russian": "ООО «Ромашка», USB-кабель",
    "Greek": "Ελληνική Δημοκρατία",
    "Hindi, with its joiner": "क्\u200dष हिन्दी",
    "Thai": "ราคาที่นี่",
    "Vietnamese, decomposed": unicodedata.normalize("NFD", "Việt Nam"),
    "Korean": "주식회사 한국",
    "French, with its blanks": "12\u202f000\u00a0€\u00a0!",
    "emoji": "👍🏽 ❤️ 👨‍👩‍👧 🏳️‍🌈 1️⃣",
    "several lines": "one\n\ttwo\n\nthree",
    "indented": "steps:\n          - run: make",
}


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY.keys())
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert seen(text) == Seen(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("DE12\u200b3400", "DE12\\u{200B}3400"),
        ("report\u202efdp.exe", "report\\u{202E}fdp.exe"),
        ("a\u2066b\u2069", "a\\u{2066}b\\u{2069}"),
        ("a\u00adb", "a\\u{AD}b"),
        ("a\U000e0041b", "a\\u{E0041}b"),
        ("a\U000e0100b", "a\\u{E0100}b"),
        ("a\ufe0fb", "a\\u{FE0F}b"),
        ("\ufeffa", "\\u{FEFF}a"),
        ("a\u3164b\u2800c", "a\\u{3164}b\\u{2800}c"),
        ("a\u2003b", "a\\u{2003}b"),
        ("a\u200db", "a\\u{200D}b"),
        ("\u200d", "\\u{200D}"),
        ("a\x00b\x1b[2K", "a\\u{0}b\\u{1B}[2K"),
        ("a\rb", "a\\u{D}b"),
        ("a\u2028b", "a\\u{2028}b"),
        ("\ud800", "\\u{D800}"),
        ("a" + "\u0301" * 6, "a" + "\u0301" * 4 + "\\u{301}" * 2),
    ],
)
def test_what_eyes_cannot_see_is_shown(text: str, shown: str) -> None:
    assert seen(text) == Seen(shown, (HIDDEN,))


def test_long_runs_of_blanks_are_counted() -> None:
    assert seen("ls" + " " * 500 + "; drop") == Seen("ls⟨500 blanks⟩; drop", (BLANKS,))
    assert seen("a" + " \u00a0" * 20 + "b") == Seen("a⟨40 blanks⟩b", (BLANKS,))
    assert seen("a" + "\n" * 99 + "b") == Seen("a⟨99 line breaks⟩\nb", (BLANKS,))


def test_the_line_breaks_of_windows_are_line_breaks() -> None:
    assert seen("a\r\nb") == Seen("a\nb")


def test_on_one_line_a_break_is_shown() -> None:
    assert seen_line("a\nb\tc") == Seen("a\\u{A}b\\u{9}c", (HIDDEN,))


def test_what_was_written_in_lines_is_told_on_one_and_only_what_is_hidden_is_shown() -> None:
    assert (
        one_line("Buy this order.\r\n\n  order_ref: PO-Y-1\nsku:\tP-40\n")
        == "Buy this order. · order_ref: PO-Y-1 · sku: P-40"
    )
    assert one_line("a\nb\u202ec\u2028d\re") == "a · b\\u{202E}c\\u{2028}d\\u{D}e"
    assert one_line(" \n\n ") == one_line("") == ""


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("\u0410cme", "“\u0410cme” (Cyrillic and Latin)"),
        ("www.p\u0430ypal.com", "“www.p\u0430ypal.com” (Cyrillic and Latin)"),
        ("\u0440\u0430\u0443.com", "“\u0440\u0430\u0443.com” (Cyrillic and Latin)"),
        ("\u03bfrder", "“\u03bfrder” (Greek and Latin)"),
        ("p\U0001d41aypal", "“p\U0001d41aypal” (Latin and Mathematical)"),
    ],
)
def test_a_word_of_several_alphabets_is_named(text: str, named: str) -> None:
    assert seen(text) == Seen(text, (f"Letters of several alphabets in one word: {named}.",))


def test_only_the_first_few_such_words_are_named() -> None:
    (warning,) = seen(" ".join(f"\u0410cme{n}" for n in range(9))).warnings
    assert warning.endswith("and 6 more.")


@given(st.text())
def test_nothing_invisible_is_left_but_what_a_script_or_an_emoji_needs(text: str) -> None:
    shown = seen(text).text
    left = {char for char in shown if unicodedata.category(char) in {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}}
    assert left <= set(
        "\n\t\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
    )
    assert "\n" not in seen_line(text).text


@given(st.text())
def test_a_text_without_warnings_was_not_touched(text: str) -> None:
    found = seen_line(text)
    assert bool(found.warnings) or found.text == text

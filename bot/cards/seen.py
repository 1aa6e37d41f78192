r"""Text from outside, made such that what a person sees is what is there.

Characters that are invisible, that turn the direction of text or that stand for nothing are shown as `\u{202E}`, long
runs of blanks as their number, words that mix look-alike alphabets are named, and secrets are hidden. The one rule: ordinary text of any
language stays as it is, joiners of Persian and Hindi and composed emoji included. Only what is shown changes; what is
stored, hashed and done is the text itself.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from bot.cards.secrets import without_secrets

HIDDEN = "It holds hidden characters, shown as \\u{…}."
SECRET = "It holds what looks like a secret, which is hidden here."  # noqa: S105  a sentence
BLANKS = "It holds long runs of blanks, shown as their number."

LONGEST = 250_000
"""Characters that are looked at: no more fits anywhere in Slack. What is longer may not be decided on there, however much of it is blank."""

_VISIBLE_FORMATS = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")
# Of Unicode's Default_Ignorable_Code_Point those that are letters, marks or symbols by category; and the blank of Braille.
_BLANK_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_BLANK = " \u00a0\u202f\u3000"  # the no-break spaces of French and the wide space of Japanese are ordinary
_MARKS = frozenset({"Mn", "Me"})
_LOOKED_AT = _HIDDEN_CATEGORIES | _MARKS | {"Zs"}
_MOST_MARKS = 4  # on one letter; more only serves to cover the lines around it
_LONG_BLANKS = re.compile(f"[\t{_BLANK}]{{16,}}")
_LONG_BREAKS = re.compile("(?:[\t ]{0,15}\n){4,}")
_WORD = re.compile(r"[\w.@]+")
_LOOK_ALIKES = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "FULLWIDTH", "MATHEMATICAL"})


@dataclass(frozen=True, slots=True)
class Seen:
    """A text fit to be shown, and sentences about what was found in it."""

    text: str
    warnings: tuple[str, ...] = ()


def seen(text: str) -> Seen:
    """The text as a person may see it, its line breaks kept (CRLF as LF)."""
    return _seen(text.replace("\r\n", "\n"), "\n\t")


def seen_line(text: str) -> Seen:
    """The same for what has one line: line breaks and tabs are shown too, so that nothing can look like another line."""
    return _seen(text, "")


def one_line(text: str) -> str:
    """What people, agents and providers wrote in several lines, on one, for where it is only told of: " · " stands for an ordinary break.

    Not for what could pass for a line of ours, such as a label or a name: there `seen_line` shows the break itself.
    """
    lines = (line.strip() for line in text.replace("\r\n", "\n").replace("\t", " ").split("\n"))
    return seen_line(" · ".join(filter(None, lines))).text


def _seen(whole: str, layout: str) -> Seen:
    if len(whole) > LONGEST:
        begins, left = _seen(whole[:LONGEST], layout), len(whole) - LONGEST
        return Seen(f"{begins.text}⟨{left:,} more characters⟩", begins.warnings)
    text = without_secrets(whole)
    if text != whole:
        inner = _made_visible(text, layout)
        return Seen(inner.text, (SECRET, *inner.warnings))
    return _made_visible(text, layout)


def _made_visible(text: str, layout: str) -> Seen:
    if text.isascii() and text.isprintable() and not _LONG_BLANKS.search(text):
        return Seen(text)
    shown = _escaped(text, layout)
    even = _LONG_BREAKS.sub(_number_of_breaks, _LONG_BLANKS.sub(_number_of_blanks, shown))
    found = [HIDDEN] if shown != text else []
    if even != shown:
        found.append(BLANKS)
    return Seen(even, (*found, *_mixed(text)))


def _escaped(text: str, layout: str) -> str:
    def shown(found: re.Match[str]) -> str:
        char, at = found[0], found.start()
        if char in layout:
            return char
        category = unicodedata.category(char)
        covers = category in _MARKS and all(map(_is_mark, text[max(0, at - _MOST_MARKS) : at])) and at >= _MOST_MARKS
        hidden = covers or _is_hidden(char, category, text[max(0, at - 1) : at], text[at + 1 : at + 2])
        return f"\\u{{{ord(char):X}}}" if hidden else char

    suspects = "".join(filter(_is_suspect, set(text)))  # most of any text is none, and few are different
    return re.sub(f"[{re.escape(suspects)}]", shown, text) if suspects else text


def _is_suspect(char: str) -> bool:
    """Whether it has to be looked at where it stands."""
    return (char not in _BLANK and unicodedata.category(char) in _LOOKED_AT) or bool(_BLANK_LETTERS.match(char))


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in _MARKS


def _is_hidden(char: str, category: str, before: str, after: str) -> bool:
    if category == "Zs":
        return char not in _BLANK
    if category in _HIDDEN_CATEGORIES:
        return not (_VISIBLE_FORMATS.match(char) or _joins(char, before, after))
    return bool(_BLANK_LETTERS.match(char)) and not _selects(char, before, after)


def _joins(char: str, before: str, after: str) -> bool:
    """Whether a joiner stands where a script (Unicode UAX 31) or a composed emoji needs it."""
    if char not in "\u200c\u200d" or not before or not after:
        return False
    if unicodedata.combining(before) == 9:  # a virama, as in Hindi
        return True
    if char == "\u200c":  # between two letters that would join, as in Persian
        return unicodedata.bidirectional(before) == "AL" == unicodedata.bidirectional(after)
    return (_is_emoji(before) or before == "\ufe0f") and _is_emoji(after)


def _selects(char: str, before: str, after: str) -> bool:
    """Whether a variation selector says how to draw the symbol before it, as in a heart or a keycap."""
    return char in "\ufe0e\ufe0f" and bool(before) and (_is_emoji(before) or after == "\u20e3")


def _is_emoji(char: str) -> bool:
    return unicodedata.category(char) == "So" or "\U0001f3fb" <= char <= "\U0001f3ff"


def _number_of_blanks(run: re.Match[str]) -> str:
    return f"⟨{len(run[0])} blanks⟩"


def _number_of_breaks(run: re.Match[str]) -> str:
    return f"⟨{run[0].count(chr(10))} line breaks⟩\n"


def _mixed(text: str) -> list[str]:
    """A sentence naming the first few words that mix alphabets whose letters look alike."""
    mixed: dict[str, list[str]] = {}
    for word in _WORD.findall(text):
        if not word.isascii() and len(alphabets := _alphabets(word)) > 1:
            mixed.setdefault(_escaped(word[:40], ""), alphabets)
    named = [f"“{word}” ({' and '.join(alphabets)})" for word, alphabets in list(mixed.items())[:3]]
    more = f" and {len(mixed) - 3} more" if len(mixed) > 3 else ""
    return [f"Letters of several alphabets in one word: {', '.join(named)}{more}."] if mixed else []


def _alphabets(word: str) -> list[str]:
    names = {_alphabet(char) for char in word if char.isalpha()}
    return sorted(name.capitalize() for name in names & _LOOK_ALIKES)


@lru_cache(maxsize=4096)
def _alphabet(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]

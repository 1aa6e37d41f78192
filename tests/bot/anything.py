"""Any value of any type of ours, drawn by its annotations: what a property test gives to whatever paints, without knowing it."""

import dataclasses
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Union, get_args, get_origin
from uuid import UUID

from hypothesis import strategies as st

from bot.cards import ids, together
from engine.models import Actor, Pause
from engine.rules.calendar import Calendar
from engine.rules.digest import visible
from engine.rules.money import Money
from engine.rules.needs import Need
from tests.bot.asked import NEED
from tests.bot.painted import ATTACKS

SCRIPTS = [
    "شركة النور للتجارة", "שָׁלוֹם עולם", "株式会社テスト　Ｔシャツ", "Հայաստան", "क्‍षत्रिय", "ООО «Ромашка»", "می‌خواهم", "👨‍👩‍👧 1️⃣ ❤️", "Việt",
]  # fmt: skip
CHARACTERS = st.text(max_size=40).map(visible)
HUGE = st.builds(
    lambda one, n: one * n,
    st.sampled_from(["x", "&", "é", "😀", "\u202e", "ا", "a\n", "\u0301", *SCRIPTS]),
    st.sampled_from([400, 1_300, 4_000]),
)
USUAL = [
    *ATTACKS,
    *SCRIPTS,
    "<@U1>",
    "<!channel>",
    "\x1b[2J",
    "<https://a.example|b>",
    "*b* _i_ `c`",
    "a\u2067b",
    "p\u0430ypal",
]
TEXTS = st.integers(0, 11).flatmap(lambda n: HUGE if n == 0 else CHARACTERS if n < 5 else st.sampled_from(USUAL))
"""All of Unicode that can be stored: bidi, zero width, controls, healed halves, mentions, links, short and long."""

MOMENTS = st.integers(-1_000_000, 1_000_000).map(
    lambda s: datetime(2026, 7, 17, 9, 19, tzinfo=UTC) + timedelta(seconds=s)
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | TEXTS
    | st.just({"amount": "1.00", "currency": "EUR"}),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
HEX = "0123456789abcdef" * 4
FIXED: Mapping[str, st.SearchStrategy[Any]] = {
    "env": st.sampled_from(["test", "x" * 100]), "digest": st.just(HEX), "shown": st.just(HEX[: ids.SHOWN]), "channel": st.sampled_from([None, "C0BUY"]),
    "dest": st.sampled_from(["person:marta", "channel:C0BUY"]), "title": st.sampled_from(["Waiting", "Waiting for " + "w" * 60]),
    "offset": st.sampled_from([0, 8]), "approver": st.builds("{}:{}".format, st.sampled_from(["person", "role"]), TEXTS),
    "level": st.integers(0, 2), "go_on": st.just("/approvals resume-effects"), "block": st.just(ids.BLOCK_TYPED),
    "effect_key": st.just("01890a5d-ac96-774b-bcce-b302099a8057:3:0"), "pause_id": st.uuids(), "n": st.integers(0, 999_999),
    "came": st.deferred(lambda: TOLD), "blocks": st.deferred(lambda: TOLD), "viewer": st.none() | st.deferred(lambda: values(Actor)),
}  # fmt: skip
"""What is ours, by the name of a parameter or field: its shape is no outsider's to choose."""

OURS: Mapping[Any, st.SearchStrategy[Any]] = {
    str: TEXTS, int: st.integers(0, 10**12), bool: st.booleans(), float: st.floats(0, 1e9), UUID: st.uuids(), datetime: MOMENTS, Any: JSON,
    timedelta: st.integers(-10, 10**7).map(lambda s: timedelta(seconds=s)),
    Money: st.builds(Money, st.integers(0, 10**11), st.sampled_from(["EUR", "JPY", "KWD"])),
    Need: st.builds(
        lambda text, n, days: dataclasses.replace(NEED, rule=text, policy_version=text[:50], why=text, doubt_role=text, approvers=n, digest_at=days),
        TEXTS, st.integers(1, 3), st.none(),
    ),
    Calendar: st.just(Calendar(zone="UTC", days=tuple(range(7)), opens=0, closes=1440)),
}  # fmt: skip


TOLD: st.SearchStrategy[Any] = st.deferred(
    lambda: st.builds(
        together.told, st.booleans(), st.lists(st.tuples(values(Pause).map(possible), st.none() | TEXTS), max_size=4)
    )
)
"""What a form says of requests that were decided together."""


def possible(shown: Pause) -> Pause:
    """As a row promises: an altered pause has no content."""
    return dataclasses.replace(shown, intact=shown.content is not None)


def values(hint: Any, name: str = "") -> st.SearchStrategy[Any]:
    """Values of this annotation; `name` is whose it is."""
    if name in FIXED and not (name == "shown" and hint is not str) and hint is not Actor:
        return FIXED[name]
    if hint in OURS:
        return OURS[hint]
    if isinstance(hint, typing.TypeAliasType if hasattr(typing, "TypeAliasType") else ()):
        return values(hint.__value__, name)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        return st.fixed_dictionaries({f.name: values(hints[f.name], f.name) for f in dataclasses.fields(hint)}).map(
            lambda given: hint(**given)
        )
    return _of(get_origin(hint), get_args(hint), name, hint)


def _of(origin: Any, args: tuple[Any, ...], name: str, hint: Any) -> st.SearchStrategy[Any]:
    if origin is Literal:
        return st.sampled_from(args)
    if origin in (Union, types.UnionType):
        return st.one_of(*(st.none() if one is types.NoneType else values(one, name) for one in args))
    if origin is tuple:
        several = st.lists(values(args[0]), max_size=4).map(tuple)
        return several if args[-1] is ... else st.tuples(*map(values, args))
    if origin in (list, Sequence, Collection) or getattr(origin, "__name__", "") == "Iterable":
        return st.lists(values(args[0]), max_size=4)
    if origin in (dict, Mapping):
        return st.dictionaries(values(args[0]), values(args[1]), max_size=4)
    if getattr(origin, "__name__", "") == "Callable":
        return TEXTS.map(lambda text: lambda *_: text)
    raise LookupError(f"no values of {hint} ({name})")

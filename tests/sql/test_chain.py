"""The chain in SQL and the chain outside it are one: the same link over the same events, whatever these hold."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rules import digest
from tests import database

FIELDS = digest.CHAIN_FIELDS[:-1]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
EVENTS = st.lists(
    st.fixed_dictionaries({field: st.none() | TEXTS | st.sampled_from(["", "-;", "3:a;b;", "é", "🙂"]) for field in FIELDS}),
    min_size=1, max_size=4,
)  # fmt: skip
HEADS = st.text("0123456789abcdef", min_size=64, max_size=64)
TIMES = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  hypothesis adds the zone

LINK = """
    SELECT chain_link_v1(%(head)s, string_agg(event_text_v1(e->>'entity', e->>'entity_id', e->>'from_status', e->>'event', e->>'to_status',
                                                            e->>'actor', e->>'surface', e->>'detail', %(at)s), '' ORDER BY n))
      FROM jsonb_array_elements(%(events)s) WITH ORDINALITY AS given(e, n)
"""


@pytest.fixture(scope="module")
def shared(migrated: str) -> Iterator[Any]:
    with database.connect(migrated) as conn:
        yield conn


@settings(max_examples=150, deadline=None)
@given(head=HEADS, events=EVENTS, at=TIMES)
def test_sql_and_python_make_the_same_link(
    shared: Any, head: str, events: list[dict[str, str | None]], at: datetime
) -> None:
    from psycopg.types.json import Jsonb

    stamp = str((at - EPOCH) // timedelta(microseconds=1))
    [made] = shared.execute(LINK, {"head": head, "events": Jsonb(events), "at": at}).fetchone()
    assert made == digest.link(head, [{**event, "at": stamp} for event in events])


@settings(max_examples=100, deadline=None)
@given(
    document=st.dictionaries(
        TEXTS, st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXTS | st.lists(TEXTS)
    )
)
def test_sql_and_python_make_the_same_digest_of_a_pause(shared: Any, document: dict[str, Any]) -> None:
    text = digest.canonical(document)
    [made] = shared.execute("SELECT pause_digest_v1(%s)", (text,)).fetchone()
    assert made == digest.digest("placet.pause.v1", document)

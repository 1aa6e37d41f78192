"""Which boundaries need a kill of their own: those at which anything had changed."""

from pathlib import Path

from tests import database
from tests.boundaries.watch import Boundaries, looking


def test_a_boundary_after_a_read_needs_no_kill_and_one_after_a_write_a_call_that_left_something_or_a_word_does(
    db_url: str, tmp_path: Path
) -> None:
    journal = tmp_path / "slack.jsonl"
    journal.write_text("")
    boundaries = Boundaries(None, looking(db_url, tmp_path))
    with database.connect(db_url) as conn:
        boundaries.cross()  # 1: it has just been told something
        boundaries.cross()  # 2: nothing since
        conn.execute("SELECT name FROM person")
        boundaries.cross()  # 3: after a read
        conn.execute("UPDATE person SET name = name || '.' WHERE id = 'marta'")
        boundaries.cross()  # 4: after a write
        conn.execute("SELECT name FROM person FOR UPDATE SKIP LOCKED")
        boundaries.cross()  # 5: after a lock, which is gone with who held it
        journal.write_text('{"kind":"posted"}\n')
        boundaries.cross()  # 6: after a call that the outside keeps
        boundaries.cross()  # 7: after one that it does not
        boundaries.told = True
        boundaries.cross()  # 8: after a word
    assert boundaries.changed == [1, 4, 6, 8]
    assert boundaries.crossed == 8


def test_every_table_is_looked_at(db_url: str) -> None:
    """But what nobody writes: the edges, the migrations, and a table of the first release that is empty ever since."""
    with database.connect(db_url) as conn:
        there = conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert {name for (name,) in there} - set(database.TABLES) <= {"edge", "migration", "spend"}

"""Which boundaries need a kill of their own: those at which anything had changed."""

from psycopg.pq import PGconn

from tests import database
from tests.boundaries.watch import Boundaries


def test_a_boundary_after_a_read_needs_no_kill_and_one_after_a_write_a_call_or_a_word_does(db_url: str) -> None:
    boundaries = Boundaries(None, PGconn.connect(db_url.encode()))
    with database.connect(db_url) as conn:
        boundaries.cross()  # 1: it has just been told something
        boundaries.cross()  # 2: nothing since
        conn.execute("SELECT name FROM person")
        boundaries.cross()  # 3: after a read
        conn.execute("UPDATE person SET name = name")
        boundaries.cross()  # 4: after a write
        conn.execute("SELECT name FROM person FOR UPDATE SKIP LOCKED")
        boundaries.cross()  # 5: after a lock, which is written too
        boundaries.touched = True
        boundaries.cross()  # 6: after a call to the outside
        boundaries.cross()  # 7
    assert boundaries.log is not None
    boundaries.log.finish()
    assert {1, 4, 5, 6} <= set(boundaries.changed) <= {1, 3, 4, 5, 6}, "a first read may tidy up what it reads"
    assert boundaries.crossed == 7

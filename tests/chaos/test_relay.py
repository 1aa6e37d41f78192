"""The relay breaks what it says it breaks: a commit whose answer is lost has happened, a request that was cut has not."""

import random
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.chaos.relay import HOST, Relay, relay

DICE = random.Random(3)


@pytest.fixture
def line(db_url: str) -> Iterator[Relay]:
    """A relay in front of the tests' PostgreSQL."""
    given = conninfo_to_dict(db_url)
    with relay(f"{given['host']}/.s.PGSQL.{given.get('port') or 5432}") as made:
        yield made


def over(line: Relay, db_url: str) -> Any:
    given = {
        **conninfo_to_dict(db_url),
        "host": HOST,
        "port": str(line.port),
        "sslmode": "disable",
        "gssencmode": "disable",
    }
    return psycopg.connect(make_conninfo("", **given), autocommit=True)


def arrive(conn: Any, number: int) -> None:
    conn.execute("INSERT INTO person (id, name) VALUES (%s, %s)", (f"p{number}", "x" * 300))


def there(conn: Any) -> int:
    return int(conn.execute("SELECT count(*) FROM person WHERE id LIKE 'p_'").fetchone()[0])


def test_what_is_not_broken_goes_through(line: Relay, db_url: str, conn: Any) -> None:
    with over(line, db_url) as client:
        arrive(client, 1)
    assert there(conn) == 1


def test_a_commit_whose_answer_is_cut_has_happened_and_its_client_cannot_know(
    line: Relay, db_url: str, conn: Any
) -> None:
    client = over(line, db_url)
    line.cut_answers(DICE, 1)
    with pytest.raises(psycopg.OperationalError):
        arrive(client, 1)
    assert there(conn) == 1
    with over(line, db_url) as again:
        arrive(again, 2)
    assert there(conn) == 2


def test_a_request_that_is_cut_never_happens(line: Relay, db_url: str, conn: Any) -> None:
    client = over(line, db_url)
    line.cut_requests(DICE, 1)
    with pytest.raises(psycopg.OperationalError):
        arrive(client, 1)
    assert there(conn) == 0


def test_every_connection_breaks_at_once(line: Relay, db_url: str, conn: Any) -> None:
    clients = [over(line, db_url) for _ in range(3)]
    line.cut_all()
    for client in clients:
        with pytest.raises(psycopg.OperationalError):
            client.execute("SELECT 1")


def test_with_nobody_behind_it_the_line_hangs_up(db_url: str) -> None:
    with relay("/nowhere") as line, pytest.raises(psycopg.OperationalError):
        over(line, db_url)

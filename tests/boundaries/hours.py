"""The hours as a test has them: leases and waits are over at once, and it can be told whether anything is due."""

from typing import Any


def pass_time(conn: Any) -> None:
    """Let the leases and the calls of the dead be over, and what waits for a better hour be due."""
    conn.execute(
        "UPDATE run_lease SET lease_until = clock_timestamp() - interval '1 second';"
        "UPDATE digest_lease SET painter_until = clock_timestamp() - interval '1 second';"
        "UPDATE effect_attempt SET call_deadline = clock_timestamp() - interval '1 second' WHERE status = 'open';"
        "UPDATE run SET queued_at = clock_timestamp() WHERE queued_at > clock_timestamp();"
        "UPDATE card SET painter_until = NULL, not_before = NULL WHERE painter_until IS NOT NULL OR not_before IS NOT NULL;"
        "UPDATE notice SET sender_until = NULL, not_before = NULL WHERE sender_until IS NOT NULL OR not_before IS NOT NULL",
        prepare=False,
    )


def something_due(conn: Any) -> bool:
    """Whether a worker, a sweeper or a painter would find anything to do."""
    [(due,)] = conn.execute(
        "SELECT EXISTS (SELECT FROM run WHERE status IN ('queued', 'running'))"
        "    OR EXISTS (SELECT FROM run_pause WHERE status = 'waiting' AND fire_at <= clock_timestamp())"
        "    OR EXISTS (SELECT FROM card WHERE wanted > painted AND state = 'live')"
        "    OR EXISTS (SELECT FROM notice WHERE state = 'due')"
    ).fetchall()
    return bool(due)

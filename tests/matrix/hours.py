"""The hours as the matrix has them: they pass at once, for the rows and for the provider's clock."""

from typing import Any


def pass_for_calls(conn: Any, seconds: int) -> None:
    """Let what was begun be so many seconds older. The lease is left alone: whoever waits keeps it."""
    conn.execute(
        f"UPDATE effect SET created_at = created_at - interval '{seconds} seconds';"
        f"UPDATE effect_attempt SET started_at = started_at - interval '{seconds} seconds',"
        f"                          call_deadline = call_deadline - interval '{seconds} seconds'",
        prepare=False,
    )


def end_leases(conn: Any) -> None:
    """Let whoever has a run have lost it."""
    conn.execute("UPDATE run_lease SET lease_until = clock_timestamp() - interval '1 second'")

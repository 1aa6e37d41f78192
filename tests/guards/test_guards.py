"""The guards are found, each by its form, and taking one away takes away that and nothing else. The long form is `python -m tests.guards`."""

from tests.guards import survivors
from tests.guards.__main__ import files, likeliest_first, queries_with
from tests.guards.found import guards

FILES = files()
GUARDS = guards(FILES)
KINDS = {guard.kind for guard in GUARDS}


def test_guards_of_every_kind_are_found() -> None:
    names = {guard.name for guard in GUARDS}
    assert len(names) == len(GUARDS)
    assert len(GUARDS) > 150
    assert {"run-first lock", "lock", "SKIP LOCKED", "unique index", "condition of r"} <= KINDS
    assert {
        "refuses as settled",
        "refuses as own",
        "refuses as due",
        "refuses as voted",
        "refuses as vote",
        "refuses as stale",
    } <= KINDS
    for index in ("run_of_launch_key", "run_pause_one_waiting", "effect_attempt_one_open"):
        assert f"schema: unique index: {index}" in names


def test_each_takes_away_what_it_names_and_leaves_the_rest() -> None:
    for guard in GUARDS:
        before = FILES[guard.file]
        after = guard.taken_from(before)
        assert after != before, guard.name
        assert after.startswith(before[: guard.start])
        assert after.endswith(before[guard.end :])


def test_a_part_of_a_reason_is_a_guard_of_its_own() -> None:
    parts = [guard.text for guard in GUARDS if guard.query == "answered" and guard.kind == "refuses as broken"]
    assert parts == ["a.altered", "c.digest IS DISTINCT FROM pause_digest_v1(c.document)"]


def test_every_survivor_that_is_listed_is_a_guard_and_has_a_reason() -> None:
    listed = survivors.reasons()
    assert set(listed) <= {guard.name for guard in GUARDS}
    assert all(len(reason) > 20 for reason in listed.values())


def test_a_guard_in_a_fragment_is_tried_by_whoever_runs_a_query_that_takes_it_in() -> None:
    assert queries_with("standing_of") == ["standing_of", "standing", "what_holds"]
    assert queries_with("claim_run") == ["claim_run"]


def test_what_runs_little_else_is_tried_first() -> None:
    among = "tests/interleavings/test_interleavings.py::all"
    ran = {"set_away": [among, "b.py::away"], "set_back": [among], "claim_run": [among, "c.py::claim"]}
    assert likeliest_first("condition of r", ["set_away", "set_back"], ran) == ["b.py::away", among]
    assert likeliest_first("run-first lock", ["set_away", "set_back"], ran) == [among, "b.py::away"]

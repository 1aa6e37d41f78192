"""All that holds of the runs of a scene, and all that somebody was told, without what is never the same twice: new ids, and moments."""

import json
import re
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from engine.state import db
from tests.interleavings.moves import Scene

_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(\+[\d:]+|Z)?")

_ALL: Final = """
SELECT json_build_object(
    'record', (SELECT json_agg(to_jsonb(e) - 'at' - 'mark' ORDER BY e.run_id, e.seq, e.n) FROM run_event e WHERE e.run_id = ANY(%(runs)s)),
    'runs', (SELECT json_agg(to_jsonb(r) - 'head' ORDER BY r.id) FROM run r WHERE r.id = ANY(%(runs)s)),
    'leases', (SELECT json_agg(to_jsonb(l) ORDER BY l.run_id) FROM run_lease l),
    'contents', (SELECT json_agg(to_jsonb(c) ORDER BY c.run_id) FROM run_content c WHERE c.run_id = ANY(%(runs)s)),
    'messages', (SELECT json_agg(to_jsonb(m) ORDER BY m.run_id, m.seq) FROM run_message m WHERE m.run_id = ANY(%(runs)s)),
    'calls', (SELECT json_agg(to_jsonb(k) ORDER BY k.run_id, k.step, k.n) FROM run_call k WHERE k.run_id = ANY(%(runs)s)),
    'pauses', (SELECT json_agg(to_jsonb(p) ORDER BY p.run_id, p.step, p.n, p.created_at) FROM run_pause p WHERE p.run_id = ANY(%(runs)s)),
    'votes', (SELECT json_agg(to_jsonb(v) ORDER BY p.run_id, p.step, p.n, p.created_at, v.person)
                FROM pause_vote v JOIN run_pause p ON p.id = v.pause_id),
    'effects', (SELECT json_agg(to_jsonb(f) ORDER BY f.run_id, f.step, f.n) FROM effect f WHERE f.run_id = ANY(%(runs)s)),
    'attempts', (SELECT json_agg(to_jsonb(a) - 'id' ORDER BY f.run_id, f.step, f.n, a.started_at) FROM effect_attempt a JOIN effect f ON f.id = a.effect_id),
    'cards', (SELECT json_agg(to_jsonb(c) - 'id' ORDER BY p.run_id, p.step, p.n, p.created_at, c.kind, c.level, c.dest)
                FROM card c JOIN run_pause p ON p.id = c.pause_id),
    'notices', (SELECT json_agg(to_jsonb(n) - 'id' ORDER BY n.run_id, n.kind, n.dest, n.created_at) FROM notice n)
)
"""


def facts(conn: db.Conn, scene: Scene) -> dict[str, Any]:
    """Every row of the runs, table by table."""
    found = conn.execute(_ALL, {"runs": list(scene.runs)}).fetchone()
    assert found is not None
    named = _named(scene)

    def label(met: re.Match[str]) -> str:
        return named.setdefault(met[0], f"new{len(named)}")

    bare = json.loads(_MOMENT.sub("a moment", _ID.sub(label, json.dumps(found[0]))))
    return {table: rows or [] for table, rows in bare.items()}


def told(outcome: Any, scene: Scene) -> Any:
    """What somebody was told."""
    named = _named(scene)

    def bare(value: Any) -> Any:
        match value:
            case UUID():
                return named.get(str(value), "new")
            case datetime():
                return "a moment"
            case Exception():
                return (type(value).__name__, getattr(value, "stands", None), str(value))
            case list():
                return sorted((bare(each) for each in value), key=str)
            case _ if is_dataclass(value) and not isinstance(value, type):
                return (type(value).__name__, {f.name: bare(getattr(value, f.name)) for f in fields(value)})
            case _:
                return value

    return bare(outcome)


def _named(scene: Scene) -> dict[str, str]:
    named = {str(run_id): f"run{n}" for n, run_id in enumerate(scene.runs)}
    named |= {str(pause_id): f"pause{n}" for n, pause_id in enumerate(scene.pauses)}
    if scene.effect:
        named |= {str(scene.effect.effect_id): "effect", str(scene.effect.attempt_id): "attempt"}
    return named

-- The tail that every move shares. A move has these CTEs: r (its locked runs), t (the time after the locks were had, one row) and
-- events (run_id, n, entity, entity_id, from_status, event, to_status, actor, surface, detail). It then puts {link} into the SET of its
-- one UPDATE of run, `linked`, which returns id, seq and head of the run, and ends with {log}.

-- name: link :fragment
seq = r.seq + 1,
        head = chain_link_v1(r.head, (SELECT string_agg(event_text_v1(e.entity, e.entity_id, e.from_status, e.event, e.to_status,
                                                                     e.actor, e.surface, e.detail, t.at), '' ORDER BY e.n)
                                        FROM events e WHERE e.run_id = r.id))

-- name: log :fragment
logged AS (
    INSERT INTO run_event (run_id, seq, at, n, entity, entity_id, from_status, event, to_status, actor, surface, detail, mark)
    SELECT e.run_id, l.seq, t.at, e.n, e.entity, e.entity_id, e.from_status, e.event, e.to_status, e.actor, e.surface, e.detail,
           chain_mark_v1(l.head)
      FROM linked l JOIN events e ON e.run_id = l.id, t
)

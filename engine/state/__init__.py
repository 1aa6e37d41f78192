"""The verbs on the rows: one verb is one named query. Nothing above this floor knows psycopg."""

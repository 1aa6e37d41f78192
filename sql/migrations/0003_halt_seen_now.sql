-- Whether every effect is stopped at this moment. VOLATILE: it looks with a snapshot of its own, so that a statement which waited for its run
-- sees the halt that came meanwhile. Source: postgresql.org/docs/current/xfunc-volatility.html.
CREATE FUNCTION effects_halted_v1() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM halt);
END $$;

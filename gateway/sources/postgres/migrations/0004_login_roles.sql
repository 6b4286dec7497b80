-- A login role for each writer, member of nothing: what each may write is granted further on, column by column.
-- Roles are the whole server's, so several databases may be at this at once, and an administrator may have been first.

DO $$
DECLARE
    wanted text[] := '{gateway_api,gateway_reconciler,gateway_health,gateway_recorder}';
    statements text;
BEGIN
    FOR place IN 1 .. cardinality(wanted) LOOP
        BEGIN
            IF to_regrole(wanted[place]) IS NULL THEN
                EXECUTE format('CREATE ROLE %I LOGIN', wanted[place]);
            END IF;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN
                NULL;
            WHEN insufficient_privilege THEN
                SELECT string_agg(format('CREATE ROLE %I LOGIN', name), '; ') INTO statements
                  FROM unnest(wanted) AS missing (name) WHERE to_regrole(name) IS NULL;
                RAISE insufficient_privilege USING MESSAGE = format(
                    '%I may not create login roles: run `%s` as an administrator, then migrate again',
                    current_user, statements);
        END;
    END LOOP;
END $$;

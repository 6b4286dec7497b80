-- Who changed which field from what to what, written by the database itself: no writer can leave it out.

CREATE TABLE field_change (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    thing text NOT NULL,
    key text[] NOT NULL,
    field text NOT NULL,
    before jsonb,
    after jsonb,
    writer text NOT NULL,
    actor text NOT NULL,
    generation integer,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON COLUMN field_change.thing IS 'Its table; the key is what that table is known by, the field its column.';
COMMENT ON COLUMN field_change.writer IS 'The role that was logged in.';
CREATE INDEX field_change_of_thing ON field_change (thing, key, id);

-- Arguments: the column of the generation, columns that are no news by themselves, then those of the key.
-- A row that comes or goes changes only the fields that said something.
CREATE FUNCTION remember_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gateway, pg_temp AS $$
DECLARE
    row_now jsonb := to_jsonb(coalesce(NEW, OLD));
    key_of text[] := (SELECT array_agg(row_now ->> part ORDER BY place)
                      FROM unnest(TG_ARGV[2:]) WITH ORDINALITY AS part_of_key (part, place));
    unsaid text[] := TG_ARGV[1]::text[] || TG_ARGV[2:];
    was jsonb := coalesce(to_jsonb(OLD), '{}') - unsaid;
    becomes jsonb := coalesce(to_jsonb(NEW), '{}') - unsaid;
BEGIN
    INSERT INTO field_change (thing, key, field, before, after, writer, actor, generation)
    SELECT TG_TABLE_NAME, key_of, field, nullif(was -> field, 'null'), nullif(becomes -> field, 'null'),
           session_user, actor(), (row_now ->> TG_ARGV[0])::integer
      FROM jsonb_object_keys(was || becomes) AS field
     WHERE was -> field IS DISTINCT FROM becomes -> field
       AND (TG_OP = 'UPDATE' OR (was || becomes) -> field NOT IN ('null', 'false', '[]'))
     ORDER BY field;
    RETURN NULL;
END $$;

-- A record that comes back goes on where it was: a claim or an ifGeneration of before means another wish.
CREATE FUNCTION resume_generation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gateway, pg_temp AS $$
DECLARE
    last integer := (SELECT generation FROM field_change
                      WHERE thing = 'node_record' AND key = ARRAY[NEW.cluster, NEW.name]
                      ORDER BY id DESC LIMIT 1);
BEGIN
    IF last > 0 THEN
        NEW.desired_generation := last + 1;
        NEW.desired_changed_at := clock_timestamp();
        NEW.desired_changed_by := actor();
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER resume_generation BEFORE INSERT ON node_record
    FOR EACH ROW EXECUTE FUNCTION resume_generation();

CREATE TRIGGER remember_change AFTER INSERT OR UPDATE OR DELETE ON node_record
    FOR EACH ROW EXECUTE FUNCTION remember_change('desired_generation',
        '{desired_generation,layout_generation,desired_changed_at,desired_changed_by,observed_changed_at,health_checked_at}',
        'cluster', 'name');
CREATE TRIGGER remember_change AFTER INSERT OR UPDATE OR DELETE ON gpu_allocation
    FOR EACH ROW EXECUTE FUNCTION remember_change('generation', '{generation}', 'tenant_id', 'workspace', 'gpu_type');
CREATE TRIGGER remember_change AFTER INSERT OR UPDATE OR DELETE ON gpu_price
    FOR EACH ROW EXECUTE FUNCTION remember_change('', '{}', 'gpu_type', 'effective_from');
CREATE TRIGGER remember_change AFTER INSERT OR UPDATE OR DELETE ON controller
    FOR EACH ROW EXECUTE FUNCTION remember_change('', '{epoch}', 'name');

-- An allocation that was taken back and given again goes on counting: nobody takes it for the one that he saw.
CREATE FUNCTION count_new_allocation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = gateway, pg_temp AS $$ BEGIN
    NEW.generation := 1 + coalesce((
        SELECT generation FROM field_change
         WHERE (thing, key) = ('gpu_allocation', ARRAY[NEW.tenant_id, NEW.workspace, NEW.gpu_type])
         ORDER BY id DESC LIMIT 1), 0);
    RETURN NEW;
END $$;
CREATE TRIGGER count_new_allocation BEFORE INSERT ON gpu_allocation
    FOR EACH ROW EXECUTE FUNCTION count_new_allocation();

-- As before, but that a node was looked at again is no news.
CREATE OR REPLACE FUNCTION tell_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed jsonb := to_jsonb(coalesce(NEW, OLD));
    key text := (SELECT string_agg(changed ->> part, '/' ORDER BY place)
                 FROM unnest(TG_ARGV) WITH ORDINALITY AS part_of_key (part, place));
BEGIN
    IF to_jsonb(NEW) - 'health_checked_at' IS DISTINCT FROM to_jsonb(OLD) - 'health_checked_at' THEN
        PERFORM pg_notify('gateway_record', TG_TABLE_NAME || ' ' || left(key, 500));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tell_of_change AFTER INSERT OR UPDATE OR DELETE ON controller
    FOR EACH ROW EXECUTE FUNCTION tell_of_change('name');

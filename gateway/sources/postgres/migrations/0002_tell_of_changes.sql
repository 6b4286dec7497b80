-- Every change is told on one channel as `table key`: a hint to read again, never the record itself.
-- A payload of 8,000 bytes would roll the writer back, so the key is cut far below that.

CREATE FUNCTION tell_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed jsonb := to_jsonb(coalesce(NEW, OLD));
    key text := (SELECT string_agg(changed ->> part, '/' ORDER BY place)
                 FROM unnest(TG_ARGV) WITH ORDINALITY AS part_of_key (part, place));
BEGIN
    IF NEW IS DISTINCT FROM OLD THEN
        PERFORM pg_notify('gateway_record', TG_TABLE_NAME || ' ' || left(key, 500));
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER tell_of_change AFTER INSERT OR UPDATE OR DELETE ON gpu_type
    FOR EACH ROW EXECUTE FUNCTION tell_of_change('name');
CREATE TRIGGER tell_of_change AFTER INSERT OR UPDATE OR DELETE ON gpu_price
    FOR EACH ROW EXECUTE FUNCTION tell_of_change('gpu_type', 'effective_from');
CREATE TRIGGER tell_of_change AFTER INSERT OR UPDATE OR DELETE ON tenant
    FOR EACH ROW EXECUTE FUNCTION tell_of_change('id');
CREATE TRIGGER tell_of_change AFTER INSERT OR UPDATE OR DELETE ON workspace
    FOR EACH ROW EXECUTE FUNCTION tell_of_change('tenant_id', 'name');
CREATE TRIGGER tell_of_change AFTER INSERT OR UPDATE OR DELETE ON workspace_namespace
    FOR EACH ROW EXECUTE FUNCTION tell_of_change('cluster', 'namespace');
CREATE TRIGGER tell_of_change AFTER INSERT OR UPDATE OR DELETE ON gpu_allocation
    FOR EACH ROW EXECUTE FUNCTION tell_of_change('tenant_id', 'workspace', 'gpu_type');
CREATE TRIGGER tell_of_change AFTER INSERT OR UPDATE OR DELETE ON node_record
    FOR EACH ROW EXECUTE FUNCTION tell_of_change('cluster', 'name');

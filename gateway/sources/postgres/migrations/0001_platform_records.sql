-- The platform's records: who holds which node, what each workspace was given, what a card costs.
-- Bounds stand here, so that no writer, whichever program it is, can store what nobody can count with.
-- No key is deleted or emptied in passing: who takes something away names it.

CREATE TABLE gpu_type (
    name text PRIMARY KEY CHECK (name <> ''),
    memory_mib integer CHECK (memory_mib > 0),
    products text[] NOT NULL DEFAULT '{}' CHECK (array_position(products, NULL) IS NULL),
    slurm_types text[] NOT NULL DEFAULT '{}' CHECK (array_position(slurm_types, NULL) IS NULL)
);
COMMENT ON TABLE gpu_type IS 'The platform''s own types; the gateway knows the usual models besides.';

-- A card-hour. NaN is greater than infinity here, so one bound keeps both out.
CREATE TABLE gpu_price (
    gpu_type text NOT NULL CHECK (gpu_type <> ''),
    effective_from timestamptz NOT NULL CHECK (isfinite(effective_from)),
    amount numeric NOT NULL CHECK (amount >= 0 AND amount < 'infinity'),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    PRIMARY KEY (gpu_type, effective_from)
);

CREATE TABLE tenant (
    id text PRIMARY KEY CHECK (id <> ''),
    display_name text
);

CREATE TABLE workspace (
    tenant_id text NOT NULL REFERENCES tenant ON DELETE RESTRICT,
    name text NOT NULL CHECK (name <> ''),
    cluster text NOT NULL CHECK (cluster <> ''),
    queue text CHECK (queue <> ''),
    PRIMARY KEY (tenant_id, name),
    UNIQUE (tenant_id, name, cluster)
);

-- Its key: a namespace belongs to one workspace of its cluster. It moves to another cluster with its workspace.
CREATE TABLE workspace_namespace (
    cluster text NOT NULL,
    namespace text NOT NULL CHECK (namespace <> ''),
    tenant_id text NOT NULL,
    workspace text NOT NULL,
    PRIMARY KEY (cluster, namespace),
    FOREIGN KEY (tenant_id, workspace, cluster) REFERENCES workspace (tenant_id, name, cluster)
        ON UPDATE CASCADE ON DELETE RESTRICT
);

-- The catalogue of the gateway counts too, so gpu_type is no foreign key.
CREATE TABLE gpu_allocation (
    tenant_id text NOT NULL,
    workspace text NOT NULL,
    gpu_type text NOT NULL CHECK (gpu_type <> ''),
    cards integer NOT NULL CHECK (cards >= 0),
    generation integer NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, workspace, gpu_type),
    FOREIGN KEY (tenant_id, workspace) REFERENCES workspace ON DELETE RESTRICT
);

CREATE TABLE node_record (
    cluster text NOT NULL CHECK (cluster <> ''),
    name text NOT NULL CHECK (name <> ''),
    target text CHECK (target IN ('KUBERNETES', 'SLURM')),
    tenant_id text REFERENCES tenant ON DELETE RESTRICT,
    claimed_cards integer CHECK (claimed_cards >= 0),
    claimed_gpu_type text CHECK (claimed_gpu_type <> ''),
    desired_generation integer NOT NULL DEFAULT 1,
    PRIMARY KEY (cluster, name)
);
COMMENT ON COLUMN node_record.claimed_cards IS 'A claim to compare with, never a source of capacity.';

-- Generations grow by themselves, so that no writer can forget it or set one back.
CREATE FUNCTION count_allocation() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.generation := OLD.generation + (NEW.cards IS DISTINCT FROM OLD.cards)::integer;
    RETURN NEW;
END $$;
CREATE TRIGGER count_allocation BEFORE UPDATE ON gpu_allocation
    FOR EACH ROW EXECUTE FUNCTION count_allocation();

CREATE FUNCTION count_node_record() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.desired_generation := OLD.desired_generation
        + ((NEW.target, NEW.tenant_id) IS DISTINCT FROM (OLD.target, OLD.tenant_id))::integer;
    RETURN NEW;
END $$;
CREATE TRIGGER count_node_record BEFORE UPDATE ON node_record
    FOR EACH ROW EXECUTE FUNCTION count_node_record();

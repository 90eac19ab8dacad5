import { toScript } from "../shared/ddl";
import { redactDefinition } from "../shared/definition-secrets";

/** Options of foreign tables that contain a password, or an address with one. */
const SECRET_OPTION = "pass|pwd|secret|token|credential|key_?id|access_?key|api_?key|conn|dsn|ur[il]$";

/** Attributes of a pg_attribute column beside its name and type. */
const COLUMNS = `
  select json_agg(json_build_object(
    'definition', format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)),
    'collation', case when a.attcollation <> 0 and a.attcollation <> y.typcollation then (
      select format('%I.%I', n.nspname, l.collname) from pg_collation l
      join pg_namespace n on n.oid = l.collnamespace where l.oid = a.attcollation) end,
    'default', pg_get_expr(d.adbin, d.adrelid),
    'generated', a.attgenerated, 'identity', a.attidentity, 'isNeeded', a.attnotnull,
    'sequence', (select row_to_json(q) from (
      select s.seqstart::text as start, s.seqincrement::text as step, s.seqmin::text as min, s.seqmax::text as max,
        s.seqcache::text as cache, s.seqcycle as cycles, format_type(s.seqtypid, null) as type
      from pg_depend p join pg_sequence s on s.seqrelid = p.objid
      where p.classid = 'pg_class'::regclass and p.refclassid = 'pg_class'::regclass
        and p.refobjid = t.oid and p.refobjsubid = a.attnum and p.deptype = 'i' limit 1) q),
    'comment', case when col_description(t.oid, a.attnum) is not null then
      format('COMMENT ON COLUMN %s.%I IS %L', t.path, a.attname, col_description(t.oid, a.attnum)) end)
    order by a.attnum)
  from pg_attribute a join pg_type y on y.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attislocal`;

const CONSTRAINTS = `
  select json_agg(format('CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid))
    order by position(k.contype::text in 'pucxf'), k.conname)
  from pg_constraint k where k.conrelid = t.oid and k.contype in ('p', 'u', 'c', 'x', 'f') and k.conislocal`;

/** Indexes; those of a constraint are created with it. */
const INDEXES = `
  select json_agg(pg_get_indexdef(i.indexrelid) order by c.relname)
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = t.oid and i.indisvalid
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))`;

/** Sequences that are dropped with a column, as serial creates them. */
const SEQUENCES = `
  select json_agg(json_build_object(
    'path', format('%I.%I', n.nspname, c.relname), 'owner', format('%s.%I', t.path, a.attname),
    'isUnlogged', c.relpersistence = 'u',
    'start', s.seqstart::text, 'step', s.seqincrement::text, 'min', s.seqmin::text, 'max', s.seqmax::text,
    'cache', s.seqcache::text, 'cycles', s.seqcycle, 'type', format_type(s.seqtypid, null)) order by a.attnum)
  from pg_depend p join pg_sequence s on s.seqrelid = p.objid join pg_class c on c.oid = p.objid
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = p.refobjid and a.attnum = p.refobjsubid
  where p.classid = 'pg_class'::regclass and p.refclassid = 'pg_class'::regclass
    and p.refobjid = t.oid and p.deptype = 'a'`;

const POLICIES = `
  select json_agg(format('CREATE POLICY %I ON %s AS %s FOR %s TO %s', p.polname, t.path,
      case when p.polpermissive then 'PERMISSIVE' else 'RESTRICTIVE' end,
      case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE' when 'd' then 'DELETE' else 'ALL' end,
      (select string_agg(case when o.role = 0 then 'PUBLIC' else quote_ident(pg_get_userbyid(o.role)) end, ', ')
        from unnest(p.polroles) o(role)))
    || coalesce(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', '')
    || coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '') order by p.polname)
  from pg_policy p where p.polrelid = t.oid`;

/**
 * The definition of a table or view as one JSON object; names come quoted, and expressions as the server prints them.
 * $1: its schema, null for the default schema; $2: its name.
 */
export const DDL_SQL = `
  with t as (
    select c.*, format('%I.%I', n.nspname, c.relname) as path
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = coalesce($1::name, (current_setting('millrace.schemas')::name[])[1]) and c.relname = $2::name
      and c.relkind in ('r', 'p', 'v', 'm', 'f'))
  select json_build_object(
    'path', t.path, 'kind', t.relkind, 'isUnlogged', t.relpersistence = 'u',
    'view', case when t.relkind in ('v', 'm') then pg_get_viewdef(t.oid, true) end, 'isFilled', t.relispopulated,
    'columns', (${COLUMNS}), 'constraints', (${CONSTRAINTS}), 'indexes', (${INDEXES}), 'sequences', (${SEQUENCES}),
    'parents', (select json_agg(format('%I.%I', n.nspname, c.relname) order by h.inhseqno)
      from pg_inherits h join pg_class c on c.oid = h.inhparent join pg_namespace n on n.oid = c.relnamespace
      where h.inhrelid = t.oid),
    'partitionKey', case when t.relkind = 'p' then pg_get_partkeydef(t.oid) end,
    'options', (select string_agg(format('%I = %L', o.option_name, o.option_value), ', ')
      from pg_options_to_table(t.reloptions) o),
    'server', (select json_build_object('name', quote_ident(s.srvname), 'options', (
      select string_agg(format('%I %L', o.option_name,
        case when o.option_name ~* '${SECRET_OPTION}' then '***' else o.option_value end), ', ')
      from pg_options_to_table(f.ftoptions) o))
      from pg_foreign_table f join pg_foreign_server s on s.oid = f.ftserver where f.ftrelid = t.oid),
    'triggers', (select json_agg(pg_get_triggerdef(g.oid) order by g.tgname)
      from pg_trigger g where g.tgrelid = t.oid and not g.tgisinternal),
    'isGuarded', t.relrowsecurity, 'isOwnerGuarded', t.relforcerowsecurity, 'policies', (${POLICIES}),
    'comment', case when obj_description(t.oid, 'pg_class') is not null then
      format('%s IS %L', t.path, obj_description(t.oid, 'pg_class')) end)
  from t`;

type Sequence = {
  start: string;
  step: string;
  min: string;
  max: string;
  cache: string;
  cycles: boolean;
  type: string;
};

type Column = {
  definition: string;
  collation: string | null;
  default: string | null;
  /** `s` for stored, `v` for virtual; empty for none. */
  generated: string;
  /** `a` for always, `d` for by default; empty for none. */
  identity: string;
  isNeeded: boolean;
  sequence: Sequence | null;
  comment: string | null;
};

type Relation = {
  path: string;
  kind: "r" | "p" | "v" | "m" | "f";
  isUnlogged: boolean;
  view: string | null;
  isFilled: boolean;
  columns: Column[] | null;
  constraints: string[] | null;
  indexes: string[] | null;
  sequences: (Sequence & { path: string; owner: string; isUnlogged: boolean })[] | null;
  parents: string[] | null;
  partitionKey: string | null;
  options: string | null;
  server: { name: string; options: string | null } | null;
  triggers: string[] | null;
  isGuarded: boolean;
  isOwnerGuarded: boolean;
  policies: string[] | null;
  comment: string | null;
};

const KINDS = { r: "TABLE", p: "TABLE", v: "VIEW", m: "MATERIALIZED VIEW", f: "FOREIGN TABLE" } as const;

/**
 * Returns the statements that create a relation, in an executable order: PostgreSQL stores no source text.
 * @param answer of DDL_SQL
 * @throws AppError `not_found` for no answer
 */
export function toDdl(answer: unknown, name: string): string {
  if (answer === null || answer === undefined) return toScript([], name);
  const relation = answer as Relation;
  const { path, kind, comment, columns, sequences, indexes, triggers, policies } = relation;
  const kindWords = KINDS[kind];
  const statements = [
    ...(sequences ?? []).map(
      (each) => `CREATE ${each.isUnlogged ? "UNLOGGED " : ""}SEQUENCE ${each.path} AS ${each.type}${toSequence(each)}`,
    ),
    relation.view === null ? toTable(relation) : toView(relation, relation.view),
    ...(sequences ?? []).map((each) => `ALTER SEQUENCE ${each.path} OWNED BY ${each.owner}`),
    ...(indexes ?? []),
    ...(triggers ?? []),
    ...(relation.isGuarded ? [`ALTER TABLE ${path} ENABLE ROW LEVEL SECURITY`] : []),
    ...(relation.isOwnerGuarded ? [`ALTER TABLE ${path} FORCE ROW LEVEL SECURITY`] : []),
    ...(policies ?? []),
    ...(comment === null ? [] : [`COMMENT ON ${kindWords} ${comment}`]),
    ...(columns ?? []).flatMap((column) => column.comment ?? []),
  ];
  return toScript(
    statements.map((each) => redactDefinition(each, "plain")),
    name,
  );
}

function toView({ path, kind, options, isFilled }: Relation, text: string): string {
  const body = text.trim().replace(/;$/, "");
  const empty = kind === "m" && !isFilled ? "\nWITH NO DATA" : "";
  return `CREATE ${KINDS[kind]} ${path}${options === null ? "" : ` WITH (${options})`} AS\n ${body}${empty}`;
}

function toTable(relation: Relation): string {
  const { path, kind, isUnlogged, columns, constraints, parents, partitionKey, options, server } = relation;
  const lines = [...(columns ?? []).map(toColumn), ...(constraints ?? [])];
  const inside = lines.length === 0 ? "()" : `(\n${lines.map((line) => `  ${line}`).join(",\n")}\n)`;
  return [
    `CREATE ${isUnlogged ? "UNLOGGED " : ""}${KINDS[kind]} ${path} ${inside}`,
    ...(parents === null ? [] : [`INHERITS (${parents.join(", ")})`]),
    ...(partitionKey === null ? [] : [`PARTITION BY ${partitionKey}`]),
    ...(server === null
      ? []
      : [`SERVER ${server.name}${server.options === null ? "" : ` OPTIONS (${server.options})`}`]),
    ...(options === null ? [] : [`WITH (${options})`]),
  ].join("\n");
}

function toColumn(column: Column): string {
  const { definition, collation, default: given, generated, identity, isNeeded, sequence } = column;
  const always = identity === "a" ? "ALWAYS" : "BY DEFAULT";
  return [
    definition,
    ...(collation === null ? [] : [`COLLATE ${collation}`]),
    ...(generated !== "" ? [`GENERATED ALWAYS AS (${given})${generated === "s" ? " STORED" : ""}`] : []),
    ...(identity !== "" ? [`GENERATED ${always} AS IDENTITY${sequence === null ? "" : toIdentity(sequence)}`] : []),
    ...(generated === "" && given !== null ? [`DEFAULT ${given}`] : []),
    ...(isNeeded ? ["NOT NULL"] : []),
  ].join(" ");
}

function toIdentity(sequence: Sequence): string {
  const words = toSequence(sequence).trim();
  return words === "" ? "" : ` (${words})`;
}

/** Maximum values of the types that a sequence can have. */
const LARGEST: Readonly<Record<string, string>> = {
  smallint: "32767",
  integer: "2147483647",
  bigint: "9223372036854775807",
};

/** Returns the options of a sequence that differ from the defaults. */
function toSequence({ start, step, min, max, cache, cycles, type }: Sequence): string {
  const isUp = !step.startsWith("-");
  const largest = LARGEST[type] ?? "";
  const lowest = isUp ? "1" : `-${BigInt(largest || 0) + 1n}`;
  const highest = isUp ? largest : "-1";
  return [
    ...(step === "1" ? [] : [` INCREMENT BY ${step}`]),
    ...(min === lowest ? [] : [` MINVALUE ${min}`]),
    ...(max === highest ? [] : [` MAXVALUE ${max}`]),
    ...(start === (isUp ? min : max) ? [] : [` START WITH ${start}`]),
    ...(cache === "1" ? [] : [` CACHE ${cache}`]),
    ...(cycles ? [" CYCLE"] : []),
  ].join("");
}

import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { ask, change, openWith } from "@/test/conformance/drivers/subjects";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import type { QueryableSource } from "../../data-source";
import { postgres } from ".";

/* Password hashes, options with passwords, and server files, by every way that a read could take. */

let server: TestServer | null = null;
let admin: QueryableSource;
const readers: Record<string, QueryableSource> = {};
/** The texts that no result may contain, read from the catalogue by PostgreSQL's client. */
let secrets: string[];
const FDW_PASSWORD = "marker-of-a-user-mapping";
const REPLICA_PASSWORD = "marker-of-a-replica";

const OBJECTS = [
  "create role marked login password 'a marked password'",
  "create role ordinary login password 'a password'",
  "create role all_reader login password 'a password'",
  "grant pg_read_all_data to all_reader",
  "create table plain (id int primary key, name text)",
  "insert into plain select i, 'name ' || i from generate_series(1, 100) i",
  "analyze pg_authid",
  "analyze plain",
  "create view verifiers as select rolname, rolpassword from pg_authid",
  "create view statistics as select tablename, most_common_vals::text from pg_stats",
  "create materialized view copied as select rolname, rolpassword from pg_authid",
  "create materialized view copied_statistics as select tablename, most_common_vals::text from pg_stats",
  "create materialized view copied_view as select * from verifiers",
  "create view over_a_copy as select * from copied",
  "create materialized view harmless as select name from plain",
  "create materialized view harmless_catalog as select relname from pg_class",
  "create function verifier_of(name) returns text language sql stable as 'select rolpassword from pg_authid where rolname = $1'",
  "create function verifier_in_plpgsql(name) returns text language plpgsql stable as 'begin return (select rolpassword from pg_authid where rolname = $1); end'",
  "create function verifier_by_copy() returns setof text language sql stable as 'select rolpassword from copied'",
  "create function harmless_function(int) returns int language sql stable as 'select $1 + 1'",
  "create extension postgres_fdw",
  "create extension file_fdw",
  "create server here foreign data wrapper postgres_fdw options (host '127.0.0.1')",
  `create user mapping for public server here options (user 'marked', password '${FDW_PASSWORD}')`,
  "create foreign table remote_authid (rolname name, rolpassword text) server here options (schema_name 'pg_catalog', table_name 'pg_authid')",
  "create foreign table remote_plain (id int) server here options (table_name 'plain')",
  `create foreign data wrapper other_kind options (debug 'true')`,
  `create server other_kind_server foreign data wrapper other_kind options (db_url 'postgresql://u:${FDW_PASSWORD}@h/d')`,
  `create foreign table linked (id int) server other_kind_server options (db_url 'postgresql://u:${FDW_PASSWORD}@h/d', user 'marked', password '${FDW_PASSWORD}', tablename 'kept')`,
  `create view by_text as select 'host=h password=${FDW_PASSWORD}' as login, 'kept' as other`,
  "create server files foreign data wrapper file_fdw",
  "create foreign table read_file (line text) server files options (filename '/etc/passwd')",
  "create foreign table run_program (line text) server files options (program 'id')",
  "create foreign data wrapper renamed handler file_fdw_handler",
  "create server renamed_files foreign data wrapper renamed",
  "create foreign table read_renamed (line text) server renamed_files options (filename '/etc/passwd')",
  "create view over_file as select * from read_file",
  "create function by_function() returns setof text language sql stable as 'select line from read_file'",
  "create table parted (line text) partition by list (line)",
  "create table parted_deeper partition of parted default partition by list (line)",
  "create foreign table parted_file partition of parted_deeper default server files options (filename '/etc/passwd')",
  "create table parent (line text)",
  "create foreign table child () inherits (parent) server files options (filename '/etc/passwd')",
  "grant select on all tables in schema public to ordinary",
];

beforeAll(async () => {
  server = await startPostgres();
  if (!server) {
    process.stderr.write("\nNOT TESTED: what of PostgreSQL's catalogue is secret, since it is not installed.\n\n");
    return;
  }
  const { host, port, user, password, database } = server;
  const common = { host, port, database };
  admin = await openWith(postgres, { ...common, user, password }, false);
  await change(admin, ...OBJECTS);
  await change(admin, `alter system set primary_conninfo = 'host=h password=${REPLICA_PASSWORD}'`);
  await ask(admin, "select pg_reload_conf()", { readOnly: false });
  await vi.waitUntil(
    async () =>
      JSON.stringify((await ask(admin, "show primary_conninfo", { readOnly: false })).rows).includes("marker"),
    60_000,
  );
  const client = new Client({ ...common, user, password });
  await client.connect();
  const found = (await client.query("select rolpassword as text from pg_authid where rolpassword is not null")).rows;
  await client.end();
  secrets = [...found.map(({ text }) => String(text)), FDW_PASSWORD, REPLICA_PASSWORD, "root:x:0"];
  expect(found.length).toBe(4);
  readers.superuser = await openWith(postgres, { ...common, user, password }, true);
  readers.all_reader = await openWith(postgres, { ...common, user: "all_reader", password: "a password" }, true);
  readers.ordinary = await openWith(postgres, { ...common, user: "ordinary", password: "a password" }, true);
}, 120_000);
afterAll(async () => {
  await Promise.all(Object.values(readers).map((reader) => reader.close()));
  await admin?.close();
  await server?.stop();
});

const READERS = ["superuser", "all_reader", "ordinary"] as const;
/** @returns the result as text, or the kind of its refusal */
const outcomeOf = (reader: string, query: string): Promise<string> =>
  ask(readers[reader] as QueryableSource, query).then(
    ({ rows }) => JSON.stringify(rows),
    (error: unknown) => (error instanceof AppError ? error.kind : String(error)),
  );

const REFUSED = {
  "a table of the catalogue": [
    "select * from pg_authid",
    "table pg_authid",
    "select * from pg_catalog.pg_authid a",
    "select a from pg_authid a",
    "select a::text from pg_authid a",
    "select row_to_json(a) from pg_authid a",
    "select to_jsonb(a)->>'rolpassword' from pg_authid a",
    "select 1, rolpassword::text from pg_authid union all select 2, 'x'",
    "select 'x' intersect select rolpassword from pg_authid",
    "with a as (select * from pg_authid) select * from a",
    "select (select string_agg(rolpassword, ',') from pg_authid)",
    "select * from plain where exists (select from pg_authid where rolpassword like 'SCRAM%')",
    "select passwd from pg_shadow",
    "select * from pg_subscription",
    "select * from pg_largeobject",
    "select umoptions from pg_user_mapping",
    "select umoptions from pg_user_mappings",
    "select option_value from information_schema.user_mapping_options",
    "select srvoptions from pg_foreign_server",
    "select option_value from information_schema.foreign_server_options",
    "select ftoptions from pg_foreign_table",
    "select * from information_schema.foreign_table_options",
    "select * from information_schema._pg_foreign_servers",
    "select * from information_schema._pg_foreign_tables",
    "select * from pg_hba_file_rules",
    "select * from pg_file_settings",
  ],
  "statistics of it": [
    "select * from pg_statistic",
    "select stavalues1::text from pg_statistic where starelid = 'pg_authid'::regclass",
    "select * from pg_statistic_ext_data",
    "table pg_statistic",
  ],
  "a copy of it": [
    "select * from verifiers",
    "select * from copied",
    "select * from copied_statistics",
    "select * from copied_view",
    "select * from over_a_copy",
    "select verifier_of('marked')",
    "select verifier_in_plpgsql('marked')",
    "select verifier_by_copy()",
    "select query_to_xml('select * from pg_authid', true, false, '')",
    "select query_to_xml('select * from copied', true, false, '')",
    "select * from pg_toast.pg_toast_1260",
    "select * from pg_toast.pg_toast_2619",
    "select * from remote_authid",
  ],
  "files and programs by foreign tables": [
    "select * from read_file",
    "table read_file",
    "select * from run_program",
    "select * from read_renamed",
    "select * from over_file",
    "select by_function()",
    "select * from parted",
    "select * from parted_deeper",
    "select * from parent",
    "select count(*) from plain, read_file",
    "select 1 union all select length(line) from read_file",
  ],
};

describe.each(READERS)("C23 a read-only connection of %s", (reader) => {
  it.each(Object.keys(REFUSED) as (keyof typeof REFUSED)[])("refuses %s", async (kind) => {
    if (!server) return;
    const outcomes: Record<string, string> = {};
    for (const query of REFUSED[kind]) outcomes[query] = await outcomeOf(reader, query);
    // The server itself may refuse users without the right, with its own message.
    const expected = reader === "ordinary" ? expect.stringMatching(/^(not_allowed|query_failed)$/) : "not_allowed";
    expect(outcomes).toEqual(Object.fromEntries(REFUSED[kind].map((query) => [query, expected])));
  });

  it("refuses views of statistics where they show verifiers", async () => {
    if (!server) return;
    for (const query of [
      "select * from pg_stats",
      "select * from pg_stats_ext",
      "table pg_stats_ext_exprs",
      "select * from statistics",
    ]) {
      const outcome = await outcomeOf(reader, query);
      if (reader !== "ordinary") expect([query, outcome]).toEqual([query, "not_allowed"]);
      for (const secret of secrets) expect(outcome).not.toContain(secret);
    }
  });

  it("still reads the rest", async () => {
    if (!server) return;
    const queries = [
      "select count(*)::int from plain",
      "select count(*)::int from harmless",
      "select count(*) > 0 from harmless_catalog",
      "select harmless_function(1)",
      "select count(*) > 0 from pg_roles",
      "select count(*) > 0 from pg_user",
      "select count(*) > 0 from pg_foreign_data_wrapper",
      "select count(*) >= 0 from information_schema.foreign_tables",
      "select count(*) >= 0 from information_schema.foreign_servers",
      "select count(*) > 0 from pg_settings",
      "select count(*) > 0 from information_schema.tables",
      "select count(*) >= 0 from pg_stat_activity",
      "select count(*) > 0 from pg_class c join pg_attribute a on a.attrelid = c.oid",
    ];
    const outcomes: Record<string, string> = {};
    for (const query of queries) outcomes[query] = await outcomeOf(reader, query);
    expect(outcomes).toEqual({
      ...Object.fromEntries(queries.map((query) => [query, "[[true]]"])),
      "select count(*)::int from plain": "[[100]]",
      "select count(*)::int from harmless": "[[100]]",
      "select harmless_function(1)": "[[2]]",
    });
  });

  it("C24 hides passwords of other servers in the definitions that the schema shows", async () => {
    if (!server) return;
    const source = readers[reader] as QueryableSource;
    const ddlOf = (name: string, kind: "table" | "view") => source.ddl?.({ name, kind }, new AbortController().signal);
    const table = await ddlOf("linked", "table");
    expect(table).toContain("OPTIONS (db_url '***', \"user\" 'marked', password '***', tablename 'kept')");
    const view = await ddlOf("by_text", "view");
    expect(view).toContain("'***'::text AS login");
    expect(view).toContain("'kept'::text AS other");
    expect(`${table}${view}`).not.toContain(FDW_PASSWORD);
  });

  it("sends foreign tables of database servers to them", async () => {
    if (!server) return;
    // No server listens there: the statement got as far as connecting to it.
    expect(await outcomeOf(reader, "select * from remote_plain")).toBe("source_unreachable");
  });
});

it("C23 shows statistics to a user who sees only their own", async () => {
  if (!server) return;
  expect(await outcomeOf("ordinary", "select count(*) > 0 from pg_stats where tablename = 'plain'")).toBe("[[true]]");
});

it.each(READERS)("C23 shows no settings with passwords of other servers to %s", async (reader) => {
  if (!server) return;
  for (const query of [
    "show primary_conninfo",
    "show all",
    "select setting from pg_settings where name = 'primary_conninfo'",
    "select * from pg_settings",
    "select * from pg_show_all_settings()",
    "select current_setting('primary_conninfo', true)",
    "select current_setting('primary_' || 'conninfo')",
    "select query_to_xml('select * from pg_settings', true, false, '')",
  ]) {
    expect(await outcomeOf(reader, query), query).not.toContain(REPLICA_PASSWORD);
  }
});

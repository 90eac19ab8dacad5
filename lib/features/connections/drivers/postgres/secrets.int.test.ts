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
const KEY_PASSPHRASE = "marker-of-a-key";

const OBJECTS = [
  "create role marked login password 'a marked password'",
  "create role ordinary login password 'a password'",
  "create role all_reader login password 'a password'",
  "grant pg_read_all_data to all_reader",
  "create role owner login password 'a password'",
  "create role monitor login password 'a password'",
  "grant pg_monitor to monitor",
  "create role settings_reader login password 'a password'",
  "grant pg_read_all_settings to settings_reader",
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
  "create view settings_view as select name, setting from pg_settings",
  "create view settings_by_function as select setting as value from pg_show_all_settings()",
  "create view setting_by_name as select current_setting('primary_conninfo') as value",
  "create view setting_by_text as select current_setting('primary_' || 'conninfo') as value",
  "create view harmless_setting as select current_setting('TimeZone') as value",
  "create function settings_in_sql() returns setof text language sql stable as 'select setting from pg_settings'",
  "create function setting_in_sql() returns text language sql stable as $$ select current_setting('primary_conninfo') $$",
  "create function setting_in_plpgsql(name text) returns text language plpgsql stable as $$ begin return current_setting(name); end $$",
  "create function shown() returns text language plpgsql stable as $$ declare r record; begin for r in show primary_conninfo loop return r.primary_conninfo; end loop; end $$",
  "create function setting_in_body() returns text language sql stable begin atomic select current_setting('primary_conninfo'); end",
  "create function renamed_setting(text) returns text language internal stable as 'show_config_by_name'",
  "create operator ==> (rightarg = text, function = current_setting)",
  "create table guarded (id int)",
  "insert into guarded values (1)",
  "create policy by_setting on guarded using (current_setting('primary_conninfo') like '%a%')",
  "alter table guarded enable row level security",
  "create foreign table remote_settings (name text, setting text) server here options (schema_name 'pg_catalog', table_name 'pg_settings')",
];
/** Created once the server has passwords in its settings. */
const COPIED_SETTINGS = [
  "create materialized view copied_settings as select name, setting from pg_settings",
  "create materialized view copied_settings_view as select * from settings_view",
  "create materialized view copied_by_function as select setting from pg_show_all_settings()",
  "create materialized view copied_by_name as select current_setting('primary_conninfo') as value",
  "create materialized view copied_by_text as select current_setting('primary_' || 'conninfo') as value",
  "create materialized view copied_by_view as select * from setting_by_name",
  "create materialized view copied_harmless as select current_setting('TimeZone') as value",
  "grant select on all tables in schema public to ordinary, monitor, settings_reader",
  "grant select on plain, harmless to owner",
  "analyze copied",
  "analyze copied_settings",
  "analyze harmless",
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
  await change(
    admin,
    `alter system set primary_conninfo = 'host=h password=${REPLICA_PASSWORD}'`,
    `alter system set ssl_passphrase_command = 'echo ${KEY_PASSPHRASE}'`,
  );
  await ask(admin, "select pg_reload_conf()", { readOnly: false });
  await vi.waitUntil(
    async () =>
      JSON.stringify((await ask(admin, "show primary_conninfo", { readOnly: false })).rows).includes("marker"),
    60_000,
  );
  await change(admin, ...COPIED_SETTINGS);
  const client = new Client({ ...common, user, password });
  await client.connect();
  const found = (await client.query("select rolpassword as text from pg_authid where rolpassword is not null")).rows;
  await client.end();
  secrets = [...found.map(({ text }) => String(text)), FDW_PASSWORD, REPLICA_PASSWORD, KEY_PASSPHRASE, "root:x:0"];
  expect(found.length).toBe(7);
  readers.superuser = await openWith(postgres, { ...common, user, password }, true);
  for (const name of ["all_reader", "ordinary", "owner", ...SETTINGS_READERS]) {
    readers[name] = await openWith(postgres, { ...common, user: name, password: "a password" }, true);
  }
}, 120_000);
afterAll(async () => {
  await Promise.all(Object.values(readers).map((reader) => reader.close()));
  await admin?.close();
  await server?.stop();
});

const READERS = ["superuser", "all_reader", "ordinary"] as const;
/** Users to whom the server shows every setting. */
const SETTINGS_READERS = ["monitor", "settings_reader"] as const;
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
  it.each(Object.keys(REFUSED) as (keyof typeof REFUSED)[])("rejects %s", async (kind) => {
    if (!server) return;
    const outcomes: Record<string, string> = {};
    for (const query of REFUSED[kind]) outcomes[query] = await outcomeOf(reader, query);
    // The server itself may refuse users without the right, with its own message.
    const expected = reader === "ordinary" ? expect.stringMatching(/^(not_allowed|query_failed)$/) : "not_allowed";
    expect(outcomes).toEqual(Object.fromEntries(REFUSED[kind].map((query) => [query, expected])));
  });

  it("rejects statistics views that show verifiers", async () => {
    if (!server) return;
    for (const query of [
      "select * from pg_stats",
      "select histogram_bounds from pg_stats where tablename = 'copied'",
      "select * from pg_stats_ext",
      "table pg_stats_ext_exprs",
      "select * from statistics",
    ]) {
      expect([query, await outcomeOf(reader, query)]).toEqual([query, "not_allowed"]);
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

  it("C24 hides passwords of other servers in the definitions of the schema page", async () => {
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
  expect(await outcomeOf("owner", "select count(*) > 0 from pg_stats where tablename = 'plain'")).toBe("[[true]]");
});

it("C23 shows statements of other sessions only to roles that may see them on purpose", async () => {
  if (!server) return;
  const { host, port, user, password, database } = server;
  const other = new Client({ host, port, user, password, database });
  await other.connect();
  const { rows } = await other.query("select pg_backend_pid() as pid");
  const statementsOf = (reader: string) =>
    outcomeOf(reader, `select query from pg_stat_activity where pid = ${Number(rows[0].pid)}`);
  const shown: Record<string, string> = {};
  for (const reader of Object.keys(readers)) shown[reader] = await statementsOf(reader);
  await other.end();
  const hidden = '[["<insufficient privilege>"]]';
  // A superuser's session becomes an ordinary reader first.
  expect(shown).toEqual({
    ...Object.fromEntries(Object.keys(readers).map((reader) => [reader, hidden])),
    monitor: '[["select pg_backend_pid() as pid"]]',
  });
});

const SECRET_SETTINGS = [
  "show primary_conninfo",
  "show PRIMARY_CONNINFO",
  "show ssl_passphrase_command",
  "show all",
  "select setting from pg_settings where name = 'primary_conninfo'",
  "select * from pg_settings",
  "select reset_val from pg_catalog.pg_settings",
  "table pg_settings",
  "select length(setting) from pg_settings",
  "select * from pg_show_all_settings()",
  "select (pg_show_all_settings()).setting",
  "select current_setting('primary_conninfo')",
  "select current_setting('primary_conninfo', true)",
  "select pg_catalog.current_setting('Primary_ConnInfo'::text)",
  "select current_setting('primary_' || 'conninfo')",
  "select current_setting(name) from (values ('primary_conninfo')) s(name)",
  "select ('primary_conninfo'::text).current_setting",
  "select s.current_setting from (select 'primary_conninfo'::text) s",
  "select current_setting('ssl_passphrase_command')",
  "select ==> 'primary_conninfo'",
  "select renamed_setting('primary_conninfo')",
  "select query_to_xml('select * from pg_settings', true, false, '')",
  "select query_to_xml('show all', true, false, '')",
  "select * from settings_view",
  "select * from settings_by_function",
  "select * from setting_by_name",
  "select * from setting_by_text",
  "select settings_in_sql()",
  "select setting_in_sql()",
  "select setting_in_plpgsql('primary_conninfo')",
  "select shown()",
  "select setting_in_body()",
  "select * from guarded",
];
const COPIES_OF_SETTINGS = [
  "select * from copied_settings",
  "select * from copied_settings_view",
  "select * from copied_by_function",
  "select * from copied_by_name",
  "select * from copied_by_text",
  "select * from copied_by_view",
  "select * from remote_settings",
  "select * from pg_file_settings",
  "select * from pg_show_all_file_settings()",
];

describe.each([...READERS, ...SETTINGS_READERS])("C23 settings with passwords of other servers and %s", (reader) => {
  it("shows none of them", async () => {
    if (!server) return;
    for (const query of SECRET_SETTINGS) {
      const outcome = await outcomeOf(reader, query);
      for (const secret of secrets) expect(outcome, query).not.toContain(secret);
    }
  });

  it("refuses copies of them", async () => {
    if (!server) return;
    const outcomes = await Promise.all(COPIES_OF_SETTINGS.map((query) => outcomeOf(reader, query)));
    expect(outcomes).toEqual(COPIES_OF_SETTINGS.map(() => "not_allowed"));
  });

  it("still shows other settings", async () => {
    if (!server) return;
    for (const query of [
      "show timezone",
      "show server_version",
      "select current_setting('TimeZone')",
      "select current_setting('millrace.unknown', true)",
      "select * from harmless_setting",
      "select * from copied_harmless",
    ]) {
      expect(await outcomeOf(reader, query), query).toMatch(/^\[\[/);
    }
  });
});

/**
 * Settings that the server hides from ordinary users: names of files, libraries and TLS choices. Settings of extensions
 * have a dot, and appear in sessions that loaded their extension.
 */
const HIDDEN_WITHOUT_PASSWORD =
  /_(?:file|directory|directories|filename|keyfile|pid_file|libraries|destdir|path|version|ciphers|curve|groups|provider|reload)$|^(?:config_file|jit_provider)$/;

it("C23 knows every hidden setting that can have a password", async () => {
  if (!server) return;
  const namesFor = async (reader: QueryableSource, readOnly: boolean) =>
    (await ask(reader, "select name from pg_settings", { readOnly })).rows.map(([name]) => String(name));
  const shown = new Set(await namesFor(readers.ordinary as QueryableSource, true));
  const hidden = (await namesFor(admin, false)).filter((name) => !shown.has(name) && !name.includes("."));
  expect(hidden.filter((name) => !HIDDEN_WITHOUT_PASSWORD.test(name)).sort()).toEqual([
    "primary_conninfo",
    "ssl_passphrase_command",
  ]);
});

describe.each(SETTINGS_READERS)("C23 a read-only connection of %s", (reader) => {
  it("refuses settings while one has a password", async () => {
    if (!server) return;
    const outcomes: Record<string, string> = {};
    for (const query of SECRET_SETTINGS) outcomes[query] = await outcomeOf(reader, query);
    expect(outcomes).toEqual(Object.fromEntries(SECRET_SETTINGS.map((query) => [query, "not_allowed"])));
  });
});

it("C23 shows settings to their readers while none has a password", async () => {
  if (!server) return;
  await change(
    admin,
    "alter system set primary_conninfo = 'host=h user=u passfile=/p'",
    "alter system reset ssl_passphrase_command",
  );
  await ask(admin, "select pg_reload_conf()", { readOnly: false });
  for (const reader of SETTINGS_READERS) {
    await vi.waitUntil(async () => (await outcomeOf(reader, "show primary_conninfo")) !== "not_allowed", 60_000);
    expect(await outcomeOf(reader, "select count(*) > 0 from pg_settings")).toBe("[[true]]");
    expect(await outcomeOf(reader, "select name from settings_view where name = 'port'")).toBe('[["port"]]');
  }
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "@/lib/http/errors";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import type { QueryableSource } from "../../data-source";
import { ask, change, openWith } from "../conformance/subjects";
import { postgres } from ".";
import { EXTENSION_VOLATILE_ALLOWED, STABLE_REFUSED, VOLATILE_ALLOWED } from "./functions";

/** Functions of C that only extensions may have are tried with all extensions that the server brings. */
const CREATE_EXTENSIONS = `do $$ declare e record; begin
  for e in select name from pg_available_extensions loop
    begin execute format('create extension if not exists %I cascade', e.name);
    exception when others then raise notice '%', sqlerrm; end;
  end loop; end $$`;

/** Ways to a function that must not run: through objects that somebody made beforehand. */
const WRAPPERS = [
  "create table plain (id int, v text)",
  "insert into plain values (1, 'a')",
  "create function run_text(t text) returns text language plpgsql as $$ declare r text; begin execute t into r; return r; end $$",
  "create function run_raw(t text) returns text language plpgsql as $$ begin execute t; return current_user; end $$",
  "create function harmless(n int) returns int language plpgsql as $$ begin return n + 1; end $$",
  "create function harmless_sql(n int) returns int language sql as 'select n + 1'",
  "create function reads_file() returns text language sql as $$ select pg_read_file('/etc/hostname') $$",
  "create function reads_file_deep() returns text language plpgsql as $$ begin return reads_file(); end $$",
  "create function goes_up() returns text language sql set session_authorization = 'postgres' as 'select 1::text'",
  "create function definer() returns text language sql security definer as 'select current_user::text'",
  "create function same_in_c(text) returns text language internal as 'pg_read_file_all'",
  "create view v_file as select pg_read_file('/etc/hostname') as t",
  "create view v_view as select * from v_file",
  "create view v_lock as select pg_try_advisory_lock(7)",
  "create view v_definer as select definer()",
  "create view v_good as select p.*, random() as r, harmless(1) as h from plain p",
  "create operator public.<<<< (function = pg_read_file, rightarg = text)",
  "create domain d_lock as text check (pg_try_advisory_lock(7) is not null)",
  "create domain d_good as text check (length(value) < 10)",
  "create table t_lock (a d_lock)",
  "create table t_policy (a int)",
  "insert into t_policy values (1)",
  "alter table t_policy enable row level security",
  "create policy p on t_policy using (pg_try_advisory_lock(7))",
  "create type kept as (a text)",
  "create function crosstab_mine(text) returns setof record language c as '$libdir/tablefunc', 'crosstab'",
  "create role ordinary login password 'a password'",
  "create role helper login password 'a password'",
  "grant pg_execute_server_program to helper",
  "grant select on all tables in schema public to ordinary, helper",
];

const REFUSED = [
  "select pg_read_file('/etc/hostname')",
  "select pg_catalog . /* a */ pg_read_file\n('/etc/hostname')",
  "select \"pg_read_file\"('/etc/hostname')",
  "select U&\"pg\\005fread_file\"('/etc/hostname')",
  "select U&\"pg!005fread_file\" uescape '!' ('/etc/hostname')",
  "select PG_READ_FILE(E'/etc/\\x68ostname')",
  "select ('/etc/hostname'::text).pg_read_file",
  "select f.pg_read_file from concat('/etc/', 'hostname') f",
  "select pg_read_file_old('a', 0, 1)",
  "select pg_logdir_ls()",
  "select pg_catalog.pg_file_write('a', 'b', true)",
  "select pg_truncate_visibility_map('plain')",
  "select * from pg_get_wal_records_info('0/1', '0/2')",
  "select * from get_raw_page('plain', 0)",
  "select heap_force_kill('plain', array['(0,1)']::tid[])",
  "select txid_current()",
  "select pg_current_xact_id()",
  "select set_limit(0.5)",
  "select pg_rotate_logfile_old()",
  "select lo_create(0)",
  "select dblink_connect('dbname=postgres')",
  "select * from connectby('plain', 'id', 'id', '1', 0) as t(a int, b int, c int)",
  "select * from xpath_table('id', 'v', 'plain', '/', 'true') as t(a int, b text)",
  "select table_to_xml('v_file', true, true, '')",
  "select schema_to_xml('public', true, true, '')",
  "select domain_in('a', 'd_lock'::regtype, -1)",
  "select * from crosstab('select 1, pg_read_file(''/etc/hostname''), 2') as t(a int, b text)",
  "select * from crosstab_mine('select 1, pg_read_file(''/etc/hostname''), 2') as t(a int, b text)",
  "select * from crosstab_mine('select 1, ' || '2, 3') as t(a int, b text)",
  "select ts_stat('select pg_read_file(''/etc/hostname'')::tsvector')",
  "select * from v_file",
  "select * from public . v_view",
  "select 1 where exists (select from v_lock)",
  "select v.* from v_definer v",
  "explain analyze select * from v_lock",
  "select <<<< '/etc/hostname'",
  "select operator(public.<<<<) '/etc/hostname'::text",
  "select 'a'::d_lock",
  "select cast('a' as public.d_lock)",
  "select d_lock('a')",
  "select '{a}'::d_lock[]",
  "select d_lock 'a'",
  "select * from json_to_record('{\"a\":1}') as x(a d_lock)",
  "select * from xmltable('/a' passing ('<a>1</a>'::xml) columns a d_lock path '.')",
  "select count(*) from t_lock",
  "select * from t_policy",
  "select definer()",
  "select same_in_c('/etc/hostname')",
  "select * from pg_file_settings",
  "select * from pg_hba_file_rules",
  "select * from pg_config",
  "select * from pg_authid",
  "select passwd from pg_shadow",
  "copy (select 1) to program 'true'",
  "copy plain to '/tmp/evil'",
  "set session authorization default",
  "reset role",
  "discard all",
  "select * from plain tablesample pg_read_file(1)",
] as const;

/** Only where the session would have rights to lose. */
const REFUSED_TO_THE_MIGHTY = [
  "select run_text('select 1')",
  "select run_raw('reset session authorization')",
  "select goes_up()",
  "select reads_file()",
  "select reads_file_deep()",
];

const ALLOWED = [
  "select 1 + 1, random() < 2, now() is not null, gen_random_uuid() is not null, clock_timestamp() is not null",
  "select * from plain p where p.v like 'a%' and id in (1, 2) order by 1",
  "select * from v_good",
  "select 'a'::d_good, harmless(1), harmless_sql(1)",
  "select count(*) from pg_stat_activity",
  "select count(*) from pg_locks",
  "select count(*) from information_schema.columns",
  "select * from crosstab('select 1, 2, 3') as t(a int, b int)",
  "select * from crosstab_mine('select 1, 2, 3') as t(a int, b int)",
  "select 'Ab'::citext = 'aB', 'a=>1'::hstore -> 'a', similarity('a', 'b'), normal_rand(1, 0, 1) is not null",
  "select pg_sleep(0), pg_relation_size('plain') >= 0, current_schema()",
  "select query_to_xml('select * from plain', true, true, '')",
  "select * from plain tablesample system_rows(1)",
  "explain (analyze, verbose) select * from plain",
];

let server: TestServer | null = null;
let admin: QueryableSource;
const readers = new Map<string, QueryableSource>();

beforeAll(async () => {
  server = await startPostgres();
  if (!server) {
    process.stderr.write("\nNOT TESTED: what readings of PostgreSQL may reach, since it is not installed.\n\n");
    return;
  }
  const { host, port, user, password, database } = server;
  const config = { host, port, user, password, database };
  admin = await openWith(postgres, config, false);
  await change(admin, CREATE_EXTENSIONS);
  await change(admin, ...WRAPPERS);
  readers.set("superuser", await openWith(postgres, config));
  for (const name of ["ordinary", "helper"]) {
    readers.set(name, await openWith(postgres, { ...config, user: name, password: "a password" }));
  }
}, 120_000);
afterAll(async () => {
  await Promise.all([...readers.values()].map((reader) => reader.close()));
  await admin?.close();
  await server?.stop();
});

const outcomeOf = async (reader: QueryableSource, query: string, timeoutMs = 10_000) => {
  try {
    await ask(reader, query, { timeoutMs });
    return "ran";
  } catch (error) {
    return error instanceof AppError ? error.kind : String(error);
  }
};
const readerOf = (name: string) => readers.get(name) as QueryableSource;

describe.each(["superuser", "ordinary", "helper"])("a read-only connection of a user who is %s", (name) => {
  const all = name === "ordinary" ? REFUSED : [...REFUSED, ...REFUSED_TO_THE_MIGHTY];

  test(`T42 refuses ${all.length} ways beyond tables, before they run`, async (context) => {
    if (!server) return context.skip();
    const wrong: unknown[] = [];
    for (const query of all) {
      for (const variant of [query, `/* a */ ${query} -- b`, query.replace(/ /g, "\n ")]) {
        const outcome = await outcomeOf(readerOf(name), variant);
        if (outcome !== "not_allowed") wrong.push([variant, outcome]);
      }
    }
    expect(wrong).toEqual([]);
  }, 300_000);

  test("T42 reads what there is to read", async (context) => {
    if (!server) return context.skip();
    const failed: unknown[] = [];
    for (const query of ALLOWED) {
      await ask(readerOf(name), query).catch((error: unknown) => failed.push([query, String(error)]));
    }
    expect(failed).toEqual([]);
  }, 60_000);
});

test("T42 the session of a superuser has no rights of one, and reads every table", async (context) => {
  if (!server) return context.skip();
  const { rows } = await ask(
    readerOf("superuser"),
    "select current_user, session_user, current_setting('is_superuser'), pg_has_role('pg_read_server_files', 'member')",
  );
  expect(rows).toEqual([["pg_read_all_data", "pg_read_all_data", "off", false]]);
});

test.for(["superuser", "ordinary"])(
  "a reading of a user who is %s is compiled when the server says so, whatever our own looks do",
  async (name, context) => {
    if (!server) return context.skip();
    const { host, port, user, password, database } = server;
    const setting = "select current_setting('jit'), current_setting('plan_cache_mode')";
    const queries = [
      // No name for the catalogue to judge, names that a quick look is enough for, and one that takes a close look.
      "select current_setting('jit')",
      `${setting} from plain where id = 1`,
      `${setting} from v_good`,
    ];
    const jitOf = async (reader: QueryableSource) => {
      const answers: unknown[] = [];
      for (const query of queries) answers.push((await ask(reader, query)).rows[0]?.[0]);
      return answers;
    };
    expect(await jitOf(readerOf(name))).toEqual(["on", "on", "on"]);
    const role = name === "superuser" ? user : name;
    await change(admin, `alter role ${role} set jit = off`);
    const fresh = await openWith(postgres, {
      host,
      port,
      database,
      user: role,
      password: name === "superuser" ? password : "a password",
    });
    try {
      expect(await jitOf(fresh)).toEqual(["off", "off", "off"]);
    } finally {
      await fresh.close();
      await change(admin, `alter role ${role} reset jit`);
    }
  },
);

/** Every volatile function that is not listed, called with nothing for each value. */
const VOLATILE_CALLS = `
  select format('select %I.%I(%s)', n.nspname, p.proname,
      (select string_agg('null::' || t::regtype, ', ') from unnest(p.proargtypes::oid[]) t)), n.nspname || '.' || p.proname,
    coalesce(e.extname || '.', '') || p.proname
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
    left join pg_extension e on e.oid = d.refobjid
  where (p.provolatile = 'v' or p.proname = any ($1::text[])) and p.prokind = 'f' and (p.oid < 16384 or e.extname is not null)
    and not exists (select from unnest(p.proargtypes::oid[] || p.prorettype) t join pg_type y on y.oid = t
      where y.typtype = 'p' and t <> all ('{void,record,anyelement,cstring}'::regtype[]))
  order by 2`;

test("T42 no volatile function of PostgreSQL or of an extension is called that is not on the list", async (context) => {
  if (!server) return context.skip();
  const allowed = new Set<string>([...VOLATILE_ALLOWED, ...EXTENSION_VOLATILE_ALLOWED]);
  const { rows } = await ask(admin, VOLATILE_CALLS, { readOnly: false, params: [[...STABLE_REFUSED]] });
  const calls = rows.filter(
    ([, , name]) => !allowed.has(String(name)) && !/_to_xml|^ts_(stat|rewrite)/.test(String(name)),
  );
  expect(calls.length).toBeGreaterThan(200);
  const passed: unknown[] = [];
  for (const [call] of calls) {
    const outcome = await outcomeOf(readerOf("superuser"), String(call));
    if (outcome !== "not_allowed") passed.push([call, outcome]);
  }
  expect(passed).toEqual([]);
}, 300_000);

/** What a database's owner could set for a role, so that the server reads a text other than the guard does. */
const SETTINGS = [
  "standard_conforming_strings = off",
  "backslash_quote = on",
  "client_encoding = 'SJIS'",
  "search_path = evil, pg_catalog",
  "transform_null_equals = on",
  "default_transaction_read_only = off",
  "row_security = off",
  "role = 'postgres'",
  "DateStyle = 'German, DMY'",
  "quote_all_identifiers = on",
];

test("T43 settings of a role or a database change neither how a text is read nor what names stand for", async (context) => {
  if (!server) return context.skip();
  const { host, port, database } = server;
  await change(
    admin,
    "create schema evil",
    "grant usage on schema evil to ordinary",
    "create function evil.now() returns text language sql as $$ select 'evil' $$",
    "create function evil.set_config(text, text, boolean) returns text language sql as $$ select 'evil' $$",
    "create function evil.unequal(name, name) returns boolean language sql as 'select true'",
    "create operator evil.<> (function = evil.unequal, leftarg = name, rightarg = name)",
    "grant postgres to ordinary",
    ...SETTINGS.map((setting) => `alter role ordinary set ${setting}`),
    ...SETTINGS.slice(0, 5).map((setting) => `alter database ${database} set ${setting}`),
  );
  const reader = await openWith(postgres, { host, port, database, user: "ordinary", password: "a password" });
  try {
    for (const [query, value] of [
      ["select 'a\\' || 'b'", "a\\b"],
      ["select '\\', 1, 'x'", "\\"],
      ["select now()::text <> 'evil'", true],
      ["select null = null", null],
      ["select current_user::text", "ordinary"],
      ["select current_setting('transaction_read_only')", "on"],
      ["select 'ä€'", "ä€"],
      ["select '02/03/2024'::date::text", "2024-02-03"],
    ] as const) {
      expect([query, (await ask(reader, query)).rows[0]?.[0]]).toEqual([query, value]);
    }
    // Read with backslashes as escapes this would be a text and a call.
    const hidden = "select '\\' || ', pg_read_file(''/etc/hostname'') --'";
    expect((await ask(reader, hidden)).rows).toEqual([["\\, pg_read_file('/etc/hostname') --"]]);
    await expect(ask(reader, "select public.run_text('select 1')")).rejects.toMatchObject({ kind: "not_allowed" });
  } finally {
    await reader.close();
  }
});

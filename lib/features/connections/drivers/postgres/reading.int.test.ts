import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { splitCases } from "@/test/cases";
import {
  POSTGRES_ALLOWED,
  POSTGRES_NO_STATEMENT,
  POSTGRES_NOT_ALLOWED,
  POSTGRES_OBJECTS,
  POSTGRES_READ_ONLY,
  POSTGRES_REFUSED_TO_THE_WARY,
} from "@/test/conformance/drivers/corpus/postgres";
import { ask, change, openWith } from "@/test/conformance/drivers/subjects";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import type { QueryableSource } from "../../data-source";
import { postgres } from ".";
import { EXTENSION_VOLATILE_ALLOWED, STABLE_REFUSED, VOLATILE_ALLOWED } from "./functions";

/** Functions in C that only extensions may have are tested with all extensions of the server. */
const CREATE_EXTENSIONS = `do $$ declare e record; begin
  for e in select name from pg_available_extensions loop
    begin execute format('create extension if not exists %I cascade', e.name);
    exception when others then raise notice '%', sqlerrm; end;
  end loop; end $$`;

/** Roles of the corpus: one without rights beyond tables, one with some, and one with hostile settings. */
const ROLES = [
  "create role ordinary login password 'a password'",
  "create role helper login password 'a password'",
  "grant pg_execute_server_program to helper",
  "create role crooked login password 'a password'",
  "create schema crooked authorization crooked",
  "create function crooked.lower(varchar) returns text language sql as $$ select 'crooked' $$",
  "create table crooked.pg_class (a int)",
  "alter role crooked set standard_conforming_strings = off",
  "alter role crooked set backslash_quote = on",
  "alter role crooked set search_path = crooked, public, pg_catalog",
  "alter role crooked set transform_null_equals = on",
  "grant select on all tables in schema public to ordinary, helper, crooked",
];

/** State that no refused statement may change: objects, rows, roles, locks, large objects, and any transaction id. */
const STATE = [
  "select pg_snapshot_xmax(pg_current_snapshot())::text",
  "select * from plain",
  "select last_value, is_called from counter",
  "select count(*), max(oid::int8) from pg_class",
  "select count(*), max(oid::int8), sum(prosecdef::int) from pg_proc",
  "select rolname, rolsuper, rolconfig::text from pg_roles order by 1",
  "select count(*) from pg_largeobject_metadata",
  "select count(*) from pg_locks where locktype = 'advisory'",
  "select count(*) from pg_replication_slots",
  "select name, setting from pg_settings where source = 'configuration file' order by 1",
  "select stats_reset::text from pg_stat_database where datname = current_database()",
];
const TRACES = ["/tmp/evil"];

const CORPUS = {
  not_allowed: POSTGRES_NOT_ALLOWED,
  read_only: POSTGRES_READ_ONLY,
  query_failed: POSTGRES_NO_STATEMENT,
} as const;

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
  await change(admin, ...POSTGRES_OBJECTS, ...ROLES);
  // Autovacuum would use up transaction ids.
  await change(admin, "alter system set autovacuum = off");
  await ask(admin, "select pg_reload_conf()", { readOnly: false });
  readers.set("superuser", await openWith(postgres, config));
  for (const name of ["ordinary", "helper", "crooked"]) {
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

const stateOf = async () => {
  const answers: unknown[] = [];
  for (const query of STATE) answers.push((await ask(admin, query, { readOnly: false })).rows);
  return answers;
};

const statements = [...Object.values(CORPUS), POSTGRES_ALLOWED, POSTGRES_REFUSED_TO_THE_WARY].flat();
test(`T42 T50 has ${statements.length} distinct statements in the corpus, at least 150`, () => {
  expect(new Set(statements).size).toBe(statements.length);
  expect(statements.length).toBeGreaterThanOrEqual(150);
});

/** Users, with the most powerful first: it runs every statement. */
const USERS = ["superuser", "ordinary", "helper", "crooked"];
/** `npm run test:faults -- readings` runs every statement as every user; otherwise the other users share them. */
const isFull = process.env.READINGS === "full";
const shareOf = (name: string, all: readonly string[]): readonly string[] =>
  isFull || name === USERS[0] ? all : all.filter((_, index) => index % (USERS.length - 1) === USERS.indexOf(name) - 1);
/** Each statement takes some 50 ms on the server: every run uses a part of them. */
const SHARE = isFull ? 1 : 16;

/**
 * Returns statements with extra spaces and comments, each with its error code. One grammar parses them for all users,
 * who share them.
 */
const variantsOf = (name: string): [code: string, variant: string][] =>
  Object.entries<readonly string[]>(CORPUS)
    .filter(([code]) => code !== "query_failed")
    .flatMap(([code, all]) =>
      all.flatMap((query, index): [string, string][] => {
        if (index % USERS.length !== USERS.indexOf(name)) return [];
        const hasComments = Math.floor(index / USERS.length) % 2 === 0;
        const spaced = () => `\t${query.replace(/(?<=^\w+) /, "\n-- ' ;\n")} ;`;
        return [[code, hasComments ? `/* ' /* " */ $$ */ ${query}\n-- b` : spaced()]];
      }),
    );

describe.each(USERS)("a read-only connection of a user who is %s", (name) => {
  for (const [code, all] of Object.entries<readonly string[]>(CORPUS)) {
    for (const { tags, cases } of splitCases(shareOf(name, all), SHARE)) {
      test(`T42 T50 answers ${code} before anything runs, and nothing changes`, {
        timeout: 300_000,
        tags,
      }, async (context) => {
        if (!server) return context.skip();
        const before = await stateOf();
        const wrong: unknown[] = [];
        for (const query of cases) {
          const outcome = await outcomeOf(readerOf(name), query);
          if (outcome !== code) wrong.push([query, outcome]);
        }
        expect(wrong).toEqual([]);
        expect(await stateOf()).toEqual(before);
        expect(TRACES.filter(existsSync)).toEqual([]);
      });
    }
  }

  for (const { tags, cases } of splitCases(variantsOf(name), SHARE + 1)) {
    test("T42 T50 answers the same with any spaces and comments in between", {
      timeout: 300_000,
      tags,
    }, async (context) => {
      if (!server) return context.skip();
      const wrong: unknown[] = [];
      for (const [code, variant] of cases) {
        const outcome = await outcomeOf(readerOf(name), variant);
        if (outcome !== code) wrong.push([variant, outcome]);
      }
      expect(wrong).toEqual([]);
    });
  }

  test("T42 checks users' functions that could raise privileges", async (context) => {
    if (!server) return context.skip();
    for (const query of shareOf(name, POSTGRES_REFUSED_TO_THE_WARY)) {
      expect([query, await outcomeOf(readerOf(name), query)]).toEqual([query, "not_allowed"]);
    }
  });

  test("T42 reads everything readable", async (context) => {
    if (!server) return context.skip();
    const failed: unknown[] = [];
    for (const query of shareOf(name, POSTGRES_ALLOWED)) {
      await ask(readerOf(name), query).catch((error: unknown) => failed.push([query, String(error)]));
    }
    expect(failed).toEqual([]);
  }, 60_000);
});

test("T42 runs a superuser's session without its privileges, and reads every table", async (context) => {
  if (!server) return context.skip();
  const { rows } = await ask(
    readerOf("superuser"),
    "select current_user, session_user, current_setting('is_superuser'), pg_has_role('pg_read_server_files', 'member')",
  );
  expect(rows).toEqual([["pg_read_all_data", "pg_read_all_data", "off", false]]);
});

test.for(["superuser", "ordinary"])(
  "checks a query of a user who is %s when the server compiles it, whatever our own lookups trigger",
  async (name, context) => {
    if (!server) return context.skip();
    const { host, port, user, password, database } = server;
    const setting = "select current_setting('jit'), current_setting('plan_cache_mode')";
    const queries = [
      // No name to check in the catalogue, names for which the quick check suffices, and one that needs the close
      // check.
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

/** Every volatile function that is not listed, called with null arguments. */
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

for (const [share, tags] of [[], ["long"]].entries()) {
  test("T42 calls no volatile function of PostgreSQL or an extension that is not on the list", {
    timeout: 300_000,
    tags,
  }, async (context) => {
    if (!server) return context.skip();
    const allowed = new Set<string>([...VOLATILE_ALLOWED, ...EXTENSION_VOLATILE_ALLOWED]);
    const { rows } = await ask(admin, VOLATILE_CALLS, { readOnly: false, params: [[...STABLE_REFUSED]] });
    const calls = rows.filter(
      ([, , name]) => !allowed.has(String(name)) && !/_to_xml|^ts_(stat|rewrite)/.test(String(name)),
    );
    expect(calls.length).toBeGreaterThan(200);
    const passed: unknown[] = [];
    for (const [call] of splitCases(calls, SHARE + 1)[share]?.cases ?? []) {
      const outcome = await outcomeOf(readerOf("superuser"), String(call));
      if (outcome !== "not_allowed") passed.push([call, outcome]);
    }
    expect(passed).toEqual([]);
  });
}

/** Settings that a database's owner could give a role, so that the server parses a text differently from the guard. */
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

test("T43 ignores settings of a role or database in parsing and name resolution", async (context) => {
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
    // With backslash escapes, this would be a text and a call.
    const hidden = "select '\\' || ', pg_read_file(''/etc/hostname'') --'";
    expect((await ask(reader, hidden)).rows).toEqual([["\\, pg_read_file('/etc/hostname') --"]]);
    await expect(ask(reader, "select public.run_text('select 1')")).rejects.toMatchObject({ kind: "not_allowed" });
  } finally {
    await reader.close();
  }
});

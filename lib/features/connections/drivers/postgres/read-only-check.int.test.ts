import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { ask, change, openWith } from "@/test/conformance/drivers/subjects";
import { startPostgres, type TestServer } from "@/test/servers/postgres";
import type { QueryableSource } from "../../data-source";
import { postgres } from ".";

/* The limits of the cheaper catalogue checks: what they detect, and what they leave to the close one. */

let server: TestServer | null = null;
let admin: QueryableSource;
let reader: QueryableSource;

/** A function with a superuser's rights for every caller: no one may call it on a read-only connection. */
const lent = (name: string, args: string, returns: string, body: string) =>
  `create function ${name}(${args}) returns ${returns} language sql stable security definer as $$ ${body} $$`;

beforeAll(async () => {
  server = await startPostgres();
  if (!server) {
    process.stderr.write("\nNOT TESTED: how PostgreSQL's catalogue is looked at, since it is not installed.\n\n");
    return;
  }
  const { host, port, user, password, database } = server;
  admin = await openWith(postgres, { host, port, user, password, database }, false);
  await change(
    admin,
    "create role ordinary login password 'a password'",
    "create table places (id int primary key, at point, name text)",
    "insert into places values (1, '(1,2)', 'one'), (2, '(1,2)', 'two')",
    "create view plain_view as select id, upper(name) as name, date_trunc('day', now()) as day from places where id > 0",
    "create view nested_view as select v.*, row_number() over (order by id) as n from plain_view v",
    lent("evil", "int", "int", "select $1"),
    "grant select on all tables in schema public to ordinary",
  );
  reader = await openWith(postgres, { host, port, user: "ordinary", password: "a password", database });
}, 120_000);
afterAll(async () => {
  await reader?.close();
  await admin?.close();
  await server?.stop();
});

const outcomeOf = (query: string) =>
  ask(reader, query).then(
    () => "ran",
    (error: unknown) => (error instanceof AppError ? error.kind : String(error)),
  );

test("T42 checks a view's current definition each time", async (context) => {
  if (!server) return context.skip();
  const query = "select * from nested_view";
  const changes: [change: string, outcome: string][] = [
    ["create or replace view plain_view as select id, lower(name) as name, now() as day from places", "ran"],
    ["create or replace view plain_view as select evil(id) as id, name, now() as day from places", "not_allowed"],
    ["create or replace view plain_view as select id, name, now() as day from places where pg_sleep(0) is null", "ran"],
    [
      "create or replace view plain_view as select id, name, now() as day from places where txid_current() > 0",
      "not_allowed",
    ],
    [
      "create or replace view plain_view as select id, pg_read_file('x') as name, now() as day from places",
      "not_allowed",
    ],
    ["create or replace view plain_view as select id, name, now() as day from places", "ran"],
    ["alter table places enable row level security", "ran"],
    ["create policy hidden on places using (evil(id) > 0)", "not_allowed"],
    ["drop policy hidden on places", "ran"],
    ["alter table places disable row level security", "ran"],
    ["alter table places add column twice int generated always as (steady(id)) stored", "not_allowed"],
    ["alter table places drop column twice", "ran"],
    ["create domain checked as int check (evil(value) > 0)", "ran"],
    [
      "create or replace view plain_view as select id::checked::int as id, name, now() as day from places",
      "not_allowed",
    ],
    ["create or replace view plain_view as select id, name, now() as day from places", "ran"],
    ["create operator elsewhere.> (leftarg = int, rightarg = int, function = evil_more)", "not_allowed"],
    ["drop operator elsewhere.> (int, int)", "ran"],
  ];
  await change(admin, lent("steady", "int", "int", "select $1"), "alter function steady(int) immutable");
  await change(admin, lent("evil_more", "int, int", "boolean", "select true"), "create schema elsewhere");
  expect(await outcomeOf(query)).toBe("ran");
  for (const [statement, outcome] of changes) {
    await change(admin, statement);
    expect([statement, await outcomeOf(query)]).toEqual([statement, outcome]);
  }
});

test("T42 checks a repeated point query against the current catalogue", async (context) => {
  if (!server) return context.skip();
  const table = "create table points (id int primary key, name text); grant select on points to ordinary";
  const changes: [change: string, undo: string][] = [
    [
      "drop table points; create view points as select evil(1) as id, 'a' as name; grant select on points to ordinary",
      `drop view points; ${table}`,
    ],
    [
      `drop table points; create foreign data wrapper files; create server files foreign data wrapper files;
        create foreign table points (id int, name text) server files; grant select on points to ordinary`,
      `drop foreign data wrapper files cascade; ${table}`,
    ],
    [
      `create foreign data wrapper files; create server files foreign data wrapper files;
        create foreign table part () inherits (points) server files`,
      "drop foreign data wrapper files cascade",
    ],
    [
      // The first schema of the default path has the user's name.
      `create schema ordinary; create view ordinary.points as select evil(1) as id, 'a' as name;
        grant usage on schema ordinary to ordinary; grant select on ordinary.points to ordinary`,
      "drop schema ordinary cascade",
    ],
    ["create operator public.= (leftarg = int, rightarg = text, function = is_evil)", "drop operator = (int, text)"],
    [
      "create type paired as (a int); create function paired_int(paired) returns int stable security definer language sql as 'select 1'; create cast (paired as int) with function paired_int(paired) as implicit",
      "drop type paired cascade",
    ],
    [
      "alter table points enable row level security; create policy hidden on points using (evil(id) > 0)",
      "drop policy hidden on points; alter table points disable row level security",
    ],
    ["create domain low as int check (evil(value) > 0); alter table points add low low", "drop domain low cascade"],
    ["alter table points add twice int generated always as (steady_evil(id)) stored", "alter table points drop twice"],
    ["create index by_evil on points (steady_evil(id))", "drop index by_evil"],
    ["alter table points add constraint checked check (evil(id) > 0)", "alter table points drop constraint checked"],
    [
      "alter table points drop name; create function name(points) returns text stable security definer language sql as $$select 'a'$$",
      "drop function name(points); alter table points add name text",
    ],
  ];
  await change(
    admin,
    ...table.split("; "),
    lent("steady_evil", "int", "int", "select $1"),
    "alter function steady_evil(int) immutable",
    lent("is_evil", "int, text", "boolean", "select true"),
  );
  const prepared = "select count(*) from pg_prepared_statements where name like 'millrace%'";
  const countPrepared = async () => {
    await outcomeOf("select name from points where id = 1");
    return Number((await ask(reader, prepared)).rows[0]?.[0]);
  };
  await expect.poll(countPrepared).toBeGreaterThan(0);
  for (const [index, [statements, undo]] of changes.entries()) {
    // A new shape for each, so that it begins with the cheapest check.
    const query = (id: number) => `select p.name as c${index} from points p where id = ${id}`;
    for (let id = 0; id < 4; id += 1) expect([statements, await outcomeOf(query(id))]).toEqual([statements, "ran"]);
    await change(admin, ...statements.split(/; ?/));
    expect([statements, await outcomeOf(query(7))]).toEqual([statements, "not_allowed"]);
    await change(admin, ...undo.split("; "));
    expect([undo, await outcomeOf(query(8))]).toEqual([undo, "ran"]);
  }
  await change(admin, "drop table points");
});

test("T42 checks the ordering functions of built-in types", async (context) => {
  if (!server) return context.skip();
  const sorted = [
    "select distinct at from places",
    "select at from places order by 1",
    "select at from places group by 1",
  ];
  for (const query of sorted) expect([query, await outcomeOf(query)]).toEqual([query, "query_failed"]);
  await change(
    admin,
    ...["lt", "le", "eq", "ge", "gt"].map(
      (name) => `create function point_${name}(point, point) returns boolean immutable language internal as 'point_eq'`,
    ),
    lent("point_order", "point, point", "int", "select 0"),
    ...Object.entries({ lt: "<", le: "<=", eq: "=", ge: ">=", gt: ">" }).map(
      ([name, sign]) => `create operator ${sign} (function = point_${name}, leftarg = point, rightarg = point)`,
    ),
    `create operator class point_order default for type point using btree as
      operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, function 1 point_order(point, point)`,
  );
  for (const query of sorted) expect([query, await outcomeOf(query)]).toEqual([query, "not_allowed"]);
  await change(admin, "drop operator family point_order using btree cascade");
});

test("T42 resolves objects with OIDs of ten digits", async (context) => {
  if (!server) return context.skip();
  await change(
    admin,
    lent("late", "int", "int", "select $1"),
    "update pg_depend set objid = 3000000000 where classid = 'pg_proc'::regclass and objid = 'late'::regproc",
    "update pg_proc set oid = 3000000000 where proname = 'late'",
    "create view late_view as select late(id) from places",
    "grant select on late_view to ordinary",
  );
  expect(
    (
      await ask(
        admin,
        "select ev_action::text ~ 'funcid 3000000000' from pg_rewrite where ev_class = 'late_view'::regclass",
        { readOnly: false },
      )
    ).rows,
  ).toEqual([[true]]);
  expect(await outcomeOf("select * from late_view")).toBe("not_allowed");
});

test("T42 checks the cast of a function's result", async (context) => {
  if (!server) return context.skip();
  await change(
    admin,
    "create type paired as (a int)",
    lent("paired_box", "paired", "box", "select box(point(($1).a, 1), point(0, 0))"),
    "create cast (paired as box) with function paired_box(paired) as assignment",
    "create function gives_box(p paired) returns box language plpgsql as 'begin return p; end'",
  );
  expect(await outcomeOf("select gives_box(row(1)::paired)")).toBe("not_allowed");
  await change(admin, "drop type paired cascade");
});

test("T42 does not use user-defined casts to build JSON for a superuser's query", async (context) => {
  if (!server) return context.skip();
  const { host, port, user, password, database } = server;
  await change(
    admin,
    "create type mood as enum ('a', 'b')",
    "create table moods (m mood)",
    "insert into moods values ('a')",
    `create function up(mood) returns json language plpgsql as $$
      begin execute 'reset session authorization'; return to_json(current_setting('is_superuser')); end $$`,
    "create cast (mood as json) with function up(mood)",
    "create view told as select to_json(m) from moods",
  );
  const superuser = await openWith(postgres, { host, port, user, password, database });
  for (const query of ["select to_json(m) from moods", "select json_agg(x) from moods x", "table told"]) {
    await expect(ask(superuser, query), query).rejects.toMatchObject({ kind: "not_allowed" });
  }
  expect((await ask(superuser, "select m, m = 'a' from moods")).rows).toEqual([["a", true]]);
  await superuser.close();
  await change(admin, "drop type mood cascade");
});

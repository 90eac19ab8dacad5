import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { splitStatements } from "@/lib/base/sql/statements";
import type { Entity } from "@/lib/base/values/fields";
import { listDrivers } from "@/lib/features/connections/drivers/registry";
import type { QueryableSource } from "../../../lib/features/connections/data-source";
import { ask, change, type SubjectName, startSubject } from "./subjects";

const ANY = new AbortController().signal;

/** Names with characters that break unquoted SQL. */
const PEOPLE = `create table "ddl ""people" (id int primary key, "full ""name" varchar(50) not null, team_id int not null,
  age int default 7 check (age > 3), constraint ddl_team foreign key (team_id) references ddl_teams (id))`;
const INDEX = `create unique index "ddl ""by name" on "ddl ""people" ("full ""name", age)`;
const VIEW = `create view ddl_adults as select id, age from "ddl ""people" where age > 17`;
const TEAMS = "create table ddl_teams (id int primary key, name varchar(50) not null)";

const toMysql = (text: string) =>
  text.replaceAll(/"((?:[^"]|"")+)"/g, (_, name) => `\`${name.replaceAll('""', '"')}\``);
const MADE: Record<"postgres" | "mariadb" | "sqlite" | "duckdb", string[]> = {
  postgres: [TEAMS, PEOPLE, INDEX, VIEW],
  mariadb: [TEAMS, PEOPLE, INDEX, VIEW].map(toMysql),
  sqlite: [TEAMS, PEOPLE, INDEX, VIEW],
  duckdb: [TEAMS, PEOPLE, INDEX, VIEW],
};

async function start(name: SubjectName, made: string[] = []) {
  const subject = await startSubject(name);
  if (!subject) return null;
  const writer = await subject.open(false);
  await change(writer, ...made);
  return { subject, writer, source: await subject.open(true) };
}
type Started = NonNullable<Awaited<ReturnType<typeof start>>>;

const findEntity = async (source: QueryableSource, name: string) =>
  (await source.entities(ANY)).find((each) => each.name === name) as Entity;
const ddlOf = async (source: QueryableSource, name: string) =>
  (await source.ddl?.(await findEntity(source, name), ANY)) ?? "";

async function runScript({ subject, writer }: Started, text: string): Promise<void> {
  const dialect = subject.driver.dialect ?? "standard";
  for (const { text: statement } of splitStatements(text, dialect)) await change(writer, statement);
}

async function stop(started: Started | null): Promise<void> {
  await Promise.all([started?.source.close(), started?.writer.close()]);
  await started?.subject.stop();
}

describe.each(["postgres", "mariadb", "sqlite", "duckdb"] as const)("%s", (name) => {
  let started: Started | null = null;
  beforeAll(async () => {
    started = await start(name, MADE[name]);
  }, 120_000);
  afterAll(() => stop(started));

  test("recreates a table and a view with key, check, default, index and foreign key", async (context) => {
    if (!started) return context.skip();
    const { source, writer } = started;
    const people = 'ddl "people';
    const quote = (text: string) => (name === "mariadb" ? toMysql(text) : text);
    const before = { table: await ddlOf(source, people), view: await ddlOf(source, "ddl_adults") };
    const entities = await Promise.all([findEntity(source, people), findEntity(source, "ddl_adults")]);
    await change(writer, "drop view ddl_adults", quote('drop table "ddl ""people"'));
    await runScript(started, before.table);
    await runScript(started, before.view);

    expect({ table: await ddlOf(source, people), view: await ddlOf(source, "ddl_adults") }).toEqual(before);
    const without = ({ rowEstimate: _, ...entity }: Entity) => entity;
    const after = await Promise.all([findEntity(source, people), findEntity(source, "ddl_adults")]);
    expect(after.map(without)).toEqual(entities.map(without));

    const insert = (values: string) => change(writer, quote(`insert into "ddl ""people" values (${values})`));
    await change(writer, "insert into ddl_teams values (1, 'blue')");
    await change(writer, quote('insert into "ddl ""people" (id, "full ""name", team_id) values (1, \'Ann\', 1)'));
    expect((await ask(source, quote('select age from "ddl ""people"'))).rows).toEqual([[7]]);
    await expect(insert("2, 'Ann', 1, 7"), "the unique index").rejects.toThrow();
    await expect(insert("3, 'Bob', 1, 2"), "the check").rejects.toThrow();
    await expect(insert("1, 'Cid', 1, 9"), "the key").rejects.toThrow();
    await expect(insert("4, null, 1, 9"), "the column that is needed").rejects.toThrow();
    // SQLite enforces references only when a session asks for it; the definition has them all the same.
    if (name !== "sqlite") await expect(insert("5, 'Dan', 9, 9"), "the reference").rejects.toThrow();
  });

  test("reports a table that was dropped meanwhile", async (context) => {
    if (!started) return context.skip();
    const gone: Entity = { name: "ddl_gone", kind: "table", columns: [] };
    await expect(started.source.ddl?.(gone, ANY)).rejects.toThrow(/ddl_gone/);
  });
});

describe("PostgreSQL, which stores no DDL text", () => {
  let started: Started | null = null;
  beforeAll(async () => {
    started = await start("postgres");
  }, 120_000);
  afterAll(() => stop(started));

  const FACTS = [
    `select to_jsonb(c) - array['table_catalog','udt_catalog','ordinal_position'] from information_schema.columns c
       where table_schema = 'odd' order by table_name, ordinal_position`,
    `select conrelid::regclass::text, conname, contype::text, pg_get_constraintdef(oid) from pg_constraint
       where connamespace = 'odd'::regnamespace order by 1, 2`,
    "select tablename, indexname, indexdef from pg_indexes where schemaname = 'odd' order by 1, 2",
    "select sequencename, data_type::text, start_value, min_value, max_value, increment_by, cycle, cache_size from pg_sequences where schemaname = 'odd' order by 1",
    "select pg_get_triggerdef(oid) from pg_trigger where tgrelid::regclass::text like 'odd.%' and not tgisinternal order by 1",
    "select policyname, permissive, roles::text, cmd, qual, with_check from pg_policies where schemaname = 'odd' order by 1",
    `select relname, relkind::text, relpersistence::text, reloptions::text, relrowsecurity, relispopulated,
       pg_get_partkeydef(oid), obj_description(oid), (select string_agg(col_description(oid, n), '|') from generate_series(1, 20) n)
       from pg_class where relnamespace = 'odd'::regnamespace order by 1, 2`,
    "select inhrelid::regclass::text, inhparent::regclass::text, inhseqno from pg_inherits order by 1",
    "select pg_get_serial_sequence('odd.orders', 'number')",
  ];

  test("recreates everything that a table can have: the catalogue shows no difference", async (context) => {
    if (!started) return context.skip();
    const { source, writer } = started;
    await change(
      writer,
      "create schema odd",
      "create type odd.mood as enum ('so', 'so ''la''')",
      "create function odd.note() returns trigger language plpgsql as 'begin return new; end'",
      "create table odd.places (country text, city text, primary key (country, city))",
      `create unlogged table odd.orders (
         id bigint generated always as identity (start with 100 increment by 5 cycle maxvalue 900),
         number serial, big smallserial,
         "Weird Name" text collate "C" default 'it''s; "here"' not null,
         feeling odd.mood default 'so ''la''', tags text[] default array['a']::text[],
         price numeric(10, 2) check (price > 0), total numeric generated always as (price * 2) stored,
         "when" tstzrange, country text, city text,
         constraint "the key" primary key (id), constraint named unique (number, "Weird Name") deferrable initially deferred,
         constraint apart exclude using gist ("when" with &&) where (price > 3),
         foreign key (country, city) references odd.places on delete cascade) with (fillfactor = 70)`,
      'create index "odd index" on odd.orders using btree (lower("Weird Name") desc nulls last) include (price) where price > 1',
      "create trigger noting before insert on odd.orders for each row execute function odd.note()",
      "alter table odd.orders enable row level security",
      'create policy "own rows" on odd.orders for select to public using (price > 5 and "Weird Name" <> \'x;y\')',
      "comment on table odd.orders is 'It''s; said'",
      "comment on column odd.orders.\"Weird Name\" is 'a -- b'",
      "create table odd.parents (at date not null, v int)",
      "create table odd.children (more text) inherits (odd.parents)",
      "create table odd.parted (at date not null, v int, primary key (at, v)) partition by range (at, v)",
      "create table odd.nothing ()",
      'create view odd.v with (security_barrier = true) as select id, "Weird Name" as "W" from odd.orders where price > 2',
      "comment on view odd.v is 'seen'",
      "create materialized view odd.m as select count(*) as n from odd.orders with no data",
      "create unique index m_index on odd.m (n)",
    );
    const facts = async () => {
      const all = [];
      for (const query of FACTS) all.push((await ask(writer, query, { readOnly: false })).rows);
      return all;
    };
    const names = ["places", "orders", "parents", "children", "parted", "nothing", "v", "m"];
    const before = await facts();
    const texts: string[] = [];
    for (const name of names) texts.push(await ddlOf(source, name));
    await change(
      writer,
      "drop materialized view odd.m",
      "drop view odd.v",
      "drop table odd.nothing, odd.parted, odd.children, odd.parents, odd.orders, odd.places",
    );
    for (const text of texts) await runScript(started, text);
    expect(await facts()).toEqual(before);
  });
});

describe("the embedded store", () => {
  let started: Started | null = null;
  let client: MongoClient;
  beforeAll(async () => {
    started = await start("mongodb");
    client = await MongoClient.connect(String(started?.subject.config.connectionString));
  }, 60_000);
  afterAll(async () => {
    await client?.close();
    await stop(started);
  });

  test("shows a collection's indexes in shell syntax", async () => {
    const shop = client.db("shop");
    const validator = { $and: [{ age: { $gte: 18 } }, { name: { $type: "string" } }, { mail: { $regex: /@x\.y$/i } }] };
    await shop.createCollection('odd "name', { validator, validationAction: "warn" });
    await shop.createCollection("grown", { viewOn: "plain", pipeline: [{ $match: { a: { $gt: 17 } } }] });
    await shop
      .collection('odd "name')
      .createIndexes([
        { key: { city: 1, at: -1 } },
        { key: { email: 1 }, name: "one of each", unique: true, partialFilterExpression: { age: { $gt: 17 } } },
        { key: { "deep.er": 1 }, sparse: true, expireAfterSeconds: 60 },
      ]);
    await shop.collection("plain").insertOne({ a: 1 });
    const { source } = started as Started;
    expect(await ddlOf(source, 'odd "name')).toBe(
      [
        `db.createCollection("odd \\"name", {
  validator: {
    $and: [
      { age: { $gte: 18 } },
      { name: { $type: "string" } },
      { mail: { $regex: RegExp("@x\\\\.y$", "i") } }
    ]
  },
  validationAction: "warn"
});`,
        'db.getCollection("odd \\"name").createIndex({ city: 1, at: -1 });',
        'db.getCollection("odd \\"name").createIndex({ email: 1 }, {\n  name: "one of each",\n  unique: true,\n  partialFilterExpression: { age: { $gt: 17 } }\n});',
        'db.getCollection("odd \\"name").createIndex({ "deep.er": 1 }, { sparse: true, expireAfterSeconds: 60 });',
      ].join("\n\n"),
    );
    expect(await ddlOf(source, "plain")).toBe('db.createCollection("plain");');
    expect(await ddlOf(source, "grown")).toBe(
      'db.createCollection("grown", { viewOn: "plain", pipeline: [{ $match: { a: { $gt: 17 } } }] });',
    );
  });
});

test("implements DDL in exactly the drivers that declare it", async () => {
  const withDdl = listDrivers().flatMap(({ type, hasDdl }) => (hasDdl ? [type] : []));
  expect(withDdl.sort()).toEqual([
    "clickhouse",
    "duckdb",
    "mongodb",
    "mysql",
    "postgres",
    "redshift",
    "sqlite",
    "trino",
  ]);
  const server = { host: "127.0.0.1", port: 9, user: "reader", password: "" };
  const configs: Record<string, Record<string, unknown>> = {
    postgres: server,
    mysql: server,
    clickhouse: server,
    redshift: { ...server, database: "lake" },
    trino: { ...server, catalog: "lake" },
    mongodb: { connectionString: "mongodb://127.0.0.1:9/shop" },
  };
  for (const driver of listDrivers()) {
    const config = configs[driver.type];
    if (!config) continue;
    const place = { workspaceId: "a".repeat(24), connectionId: "b".repeat(24), readOnly: true };
    const source = await driver.open({ ...place, config });
    expect(source.ddl !== undefined, driver.type).toBe(driver.hasDdl === true);
    await source.close();
  }
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Condition } from "@/lib/base/sql/conditions";
import type { Entity } from "@/lib/base/values/fields";
import type { QueryableSource } from "@/lib/features/connections/data-source";
import { ask, change, type Subject, type SubjectName, startSubject } from "@/test/conformance/drivers/subjects";
import type { TableRowsBody } from "./schema";
import { toTableCount, toTablePage } from "./table-statement";

const ANY = new AbortController().signal;
/** Names and values that would end a quote, a statement or a pattern. */
const HOSTILE = `it's "x"; drop table goods; -- \\' $1 ? % _ !`;

const DATABASES: Record<Exclude<SubjectName, "mongodb" | "trino">, { stamp: string; quote: string }> = {
  postgres: { stamp: "timestamptz(6)", quote: '"' },
  mariadb: { stamp: "datetime(6)", quote: "`" },
  sqlite: { stamp: "datetime", quote: '"' },
  duckdb: { stamp: "timestamp", quote: '"' },
};

describe.each(Object.keys(DATABASES) as (keyof typeof DATABASES)[])("on %s, a table", (name) => {
  const { stamp, quote } = DATABASES[name];
  let subject: Subject | null = null;
  let source: QueryableSource;
  let goods: Entity;
  let loose: Entity;

  beforeAll(async () => {
    subject = await startSubject(name);
    if (!subject) return;
    const writer = await subject.open(false);
    const odd = `${quote}or"der'${quote}`.replace('"d', quote === '"' ? '""d' : '"d');
    await change(
      writer,
      `create table goods (id bigint not null primary key, ${odd} varchar(80), made ${stamp}, price decimal(20,2))`,
      `create table loose (n int)`,
    );
    const values = [
      // Two numbers that are equal as floats.
      [9007199254740993n, HOSTILE, "2026-05-31 12:00:00.000002", "10.00"],
      [9007199254740992n, "north", "2026-05-31 12:00:00.000001", "2.50"],
      [1n, "North-west", null, null],
      [2n, null, "2026-05-31 12:00:00.000001", "2.50"],
      [3n, "100%", "2026-06-01 00:00:00", "-7.00"],
    ] as const;
    // A backslash is an ordinary character except in MySQL and its relatives.
    const text = (value: string | null) =>
      value === null
        ? "null"
        : `'${(name === "mariadb" ? value.replaceAll("\\", "\\\\") : value).replaceAll("'", "''")}'`;
    const zone = name === "postgres" ? "+00" : "";
    for (const [id, title, made, price] of values) {
      const at = made === null ? "null" : `'${made}${zone}'`;
      await change(writer, `insert into goods values (${id}, ${text(title)}, ${at}, ${price ?? "null"})`);
    }
    await change(writer, "insert into loose values (3), (1), (2)");
    await writer.close();
    source = await subject.open(true);
    const entities = await source.entities(ANY);
    const find = (wanted: string) => entities.find((each) => each.name === wanted) as Entity;
    goods = find("goods");
    loose = find("loose");
  }, 120_000);
  afterAll(async () => {
    await source?.close();
    await subject?.stop();
  });

  const column = `or"der'`;
  const WHOLE = { filters: [], sort: [], limit: 100 };
  async function read(entity: Entity, body: Partial<Omit<TableRowsBody, "table">>) {
    const given = { ...WHOLE, ...body };
    const { statement, toNext } = toTablePage((subject as Subject).driver, entity, given);
    const { fields, rows } = await ask(source, statement.query, statement);
    const shown = rows
      .slice(0, given.limit)
      .map((row) => Object.fromEntries(fields.map((field, i) => [field.name, row[i] ?? null])));
    return { rows: shown, next: rows.length > given.limit ? toNext(shown, fields) : null };
  }
  const idsOf = (rows: Record<string, unknown>[]) => rows.map(({ id }) => String(id));
  /** Reads every page to the end; a page that returns its own cursor would never end. */
  async function pages(entity: Entity, body: Partial<Omit<TableRowsBody, "table">>) {
    const all: Record<string, unknown>[] = [];
    let after: string | undefined;
    for (let page = 0; page < 10; page += 1) {
      const { rows, next } = await read(entity, { ...body, ...(after !== undefined && { after }) });
      all.push(...rows);
      if (next === null) return all;
      after = next;
    }
    throw new Error("The pages did not end.");
  }

  test("is filtered by hostile values as values", async ({ skip }) => {
    if (!subject) skip();
    const by = async (filter: Condition & { column?: string }) =>
      idsOf((await read(goods, { filters: [{ column, ...filter }] })).rows).sort();
    expect(await by({ op: "is", value: HOSTILE })).toEqual(["9007199254740993"]);
    expect(await by({ op: "holds", value: "%" })).toEqual(["3", "9007199254740993"]);
    expect(await by({ op: "holds", value: "NORTH" })).toEqual(["1", "9007199254740992"]);
    expect(await by({ op: "not", value: "north" })).toEqual(["1", "2", "3", "9007199254740993"]);
    expect(await by({ op: "is", value: null })).toEqual(["2"]);
    expect(await by({ op: "any", values: [HOSTILE, "north", null, "') or 1=1 --"] })).toEqual([
      "2",
      "9007199254740992",
      "9007199254740993",
    ]);
    expect(await by({ op: "any", values: [null] })).toEqual(["2"]);
    expect(await by({ column: "id", op: "any", values: ["9007199254740993", "3"] })).toEqual(["3", "9007199254740993"]);
    expect(await by({ column: "id", op: "is", value: "9007199254740993" })).toEqual(["9007199254740993"]);
    expect(await by({ column: "price", op: "least", value: "2.50" })).toEqual([
      "2",
      "9007199254740992",
      "9007199254740993",
    ]);
    // SQLite stores times as texts, unchanged.
    const after = name === "sqlite" ? "2026-05-31 12:00:00.000001" : "2026-05-31T12:00:00.000001Z";
    expect(await by({ column: "made", op: "above", value: after })).toEqual(["3", "9007199254740993"]);
  });

  test("is read page by page in any order, without repeating or missing a row", async ({ skip }) => {
    if (!subject) skip();
    const byKey = ["1", "2", "3", "9007199254740992", "9007199254740993"];
    for (const limit of [1, 2, 3, 5]) expect(idsOf(await pages(goods, { limit }))).toEqual(byKey);
    // The key orders equal values, and rows without a value come last, both ways.
    const byPrice = ["3", "2", "9007199254740992", "9007199254740993", "1"];
    for (const limit of [1, 2]) {
      expect(idsOf(await pages(goods, { limit, sort: [{ column: "price", descending: false }] }))).toEqual(byPrice);
      expect(idsOf(await pages(goods, { limit, sort: [{ column: "price", descending: true }] }))).toEqual([
        "9007199254740993",
        "2",
        "9007199254740992",
        "3",
        "1",
      ]);
      // Microseconds are significant, too.
      expect(idsOf(await pages(goods, { limit, sort: [{ column: "made", descending: false }] }))).toEqual([
        "2",
        "9007199254740992",
        "9007199254740993",
        "3",
        "1",
      ]);
    }
  });

  test("without a key is paged by offset", async ({ skip }) => {
    if (!subject) skip();
    const rows = await pages(loose, { limit: 2, sort: [{ column: "n", descending: true }] });
    expect(rows.map(({ n }) => n)).toEqual([3, 2, 1]);
  });

  test("is counted with the same filters", async ({ skip }) => {
    if (!subject) skip();
    const filters: TableRowsBody["filters"] = [{ column, op: "holds", value: "north" }];
    const statement = toTableCount((subject as Subject).driver, goods, filters);
    const { rows } = await ask(source, statement.query, statement);
    expect(Number(rows[0]?.[0])).toBe(2);
  });

  test("rejects unknown columns, values of another type, and pages of another query", ({ skip }) => {
    if (!subject) skip();
    const { driver } = subject as Subject;
    const refused = (body: Partial<Omit<TableRowsBody, "table">>) => () =>
      toTablePage(driver, goods, { ...WHOLE, ...body });
    const invalid = expect.objectContaining({ kind: "invalid_request" });
    expect(refused({ filters: [{ column: "id; drop", op: "is", value: "1" }] })).toThrow(invalid);
    expect(refused({ sort: [{ column: "1", descending: false }] })).toThrow(invalid);
    expect(refused({ filters: [{ column: "id", op: "least", value: "1 or 1=1" }] })).toThrow(invalid);
    expect(refused({ filters: [{ column: "id", op: "least", value: null }] })).toThrow(invalid);
    expect(refused({ after: "bm8" })).toThrow(invalid);
    expect(refused({ after: Buffer.from('{"order":["1","2"],"before":1}').toString("base64url") })).toThrow(invalid);
  });
});

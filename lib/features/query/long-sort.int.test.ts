import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Entity } from "@/lib/base/values/fields";
import type { Driver, QueryableSource } from "@/lib/features/connections/data-source";
import {
  ask,
  change,
  openWith,
  type SubjectName,
  startSubject,
} from "@/lib/features/connections/drivers/conformance/subjects";
import { mysql } from "@/lib/features/connections/drivers/mysql";
import { startMariaDb } from "@/test/servers/mariadb";
import { toTablePage } from "./table-statement";

/* ORDER BY of MySQL and MariaDB reads only the first `max_sort_length` bytes of a value; a comparison reads it whole. */

const PAGES_MAX = 20;
/** The rows 1 to 6, whose values begin with the same 2000 bytes; a page that compares whole values loses some. */
const SAME_START = (letter: string) => [
  ...["z", "b", "c"].map((end) => `concat(repeat('${letter}', 2000), '${end}')`),
  "'b'",
  "null",
  `concat(repeat('${letter}', 2000), 'a')`,
];

async function idsByPage(
  { driver, source }: { driver: Driver; source: QueryableSource },
  entity: Entity,
  { descending, limit }: { descending: boolean; limit: number },
): Promise<number[]> {
  const ids: number[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const sort = [{ column: "v", descending }];
    const { statement, toNext } = toTablePage(driver, entity, { filters: [], sort, limit, ...(after && { after }) });
    const { fields, rows } = await ask(source, statement.query, statement.params ? { params: statement.params } : {});
    const shown = rows
      .slice(0, limit)
      .map((row) => Object.fromEntries(fields.map(({ name }, index) => [name, row[index] ?? null])));
    ids.push(...shown.map(({ id }) => Number(id)));
    const next = rows.length > limit ? toNext(shown, fields) : null;
    if (next === null) return ids;
    after = next;
  }
  throw new Error("The pages did not end.");
}

const CASES: [table: string, type: string, values: string[], ascending: number[], descending: number[]][] = [
  ["texts", "text", SAME_START("a"), [1, 2, 3, 6, 4, 5], [4, 1, 2, 3, 6, 5]],
  ["long_texts", "longtext collate utf8mb4_bin", SAME_START("a"), [1, 2, 3, 6, 4, 5], [4, 1, 2, 3, 6, 5]],
  ["levels", "text collate utf8mb4_uca1400_as_cs", SAME_START("a"), [1, 2, 3, 6, 4, 5], [4, 1, 2, 3, 6, 5]],
  ["unicode", "mediumtext collate utf8mb4_unicode_ci", SAME_START("é"), [4, 1, 2, 3, 6, 5], [1, 2, 3, 6, 4, 5]],
  ["wide", "text collate utf8mb4_bin", SAME_START("😀"), [4, 1, 2, 3, 6, 5], [1, 2, 3, 6, 4, 5]],
  ["latin", "text character set latin1", SAME_START("a"), [1, 2, 3, 6, 4, 5], [4, 1, 2, 3, 6, 5]],
  ["varchars", "varchar(3000)", SAME_START("a"), [1, 2, 3, 6, 4, 5], [4, 1, 2, 3, 6, 5]],
  ["no_pad", "varchar(3000) collate utf8mb4_general_nopad_ci", SAME_START("a"), [1, 2, 3, 6, 4, 5], [4, 1, 2, 3, 6, 5]],
  ["blobs", "blob", SAME_START("a"), [1, 2, 3, 6, 4, 5], [4, 1, 2, 3, 6, 5]],
  ["long_blobs", "longblob", SAME_START("a"), [1, 2, 3, 6, 4, 5], [4, 1, 2, 3, 6, 5]],
  ["binaries", "varbinary(3000)", SAME_START("a"), [1, 2, 3, 6, 4, 5], [4, 1, 2, 3, 6, 5]],
  [
    "documents",
    "json",
    SAME_START("a").map((value) => (value === "null" ? value : `json_object('k', ${value})`)),
    [1, 2, 3, 6, 4, 5],
    [4, 1, 2, 3, 6, 5],
  ],
  // Equal by collation, with trailing spaces and in both cases: the key decides.
  ["equals", "text", ["'a '", "'A'", "'a'", "'b'", "null", "'á'"], [1, 2, 3, 6, 4, 5], [4, 1, 2, 3, 6, 5]],
  [
    "short_equals",
    "varchar(255)",
    ["'a '", "'A'", "'a'", "'b'", "null", "'á'"],
    [1, 2, 3, 6, 4, 5],
    [4, 1, 2, 3, 6, 5],
  ],
  // Differ behind the 64 bytes that this server reads without the driver's setting, and within 250 characters.
  [
    "early",
    "varchar(255)",
    ["z", "b", "c", "d", "e", "a"].map((end) => `concat(repeat('a', 200), '${end}')`),
    [6, 2, 3, 4, 5, 1],
    [1, 5, 4, 3, 2, 6],
  ],
  [
    "early_bytes",
    "varbinary(900)",
    ["z", "b", "c", "d", "e", "a"].map((end) => `concat(repeat('a', 800), '${end}')`),
    [6, 2, 3, 4, 5, 1],
    [1, 5, 4, 3, 2, 6],
  ],
];

describe.each([1024, 64])("on MariaDB with max_sort_length %i", (sortLength) => {
  let server: Awaited<ReturnType<typeof startMariaDb>> = null;
  let source: QueryableSource;
  let entities: Entity[];

  beforeAll(async () => {
    server = await startMariaDb([`--max-sort-length=${sortLength}`]);
    if (!server) return;
    const { host, port, user, password, database } = server;
    const config = { host, port, user, password, database };
    const writer = await openWith(mysql, config, false);
    for (const [table, type, values] of CASES) {
      const rows = values.map((value, index) => `(${index + 1}, ${value})`).join(", ");
      await change(
        writer,
        `create table ${table} (id int primary key, v ${type})`,
        `insert into ${table} values ${rows}`,
      );
    }
    await change(writer, "create table loose (id int, v text)");
    await change(writer, `insert into loose values ${SAME_START("a").map((v, index) => `(${index + 1}, ${v})`)}`);
    await writer.close();
    source = await openWith(mysql, config);
    entities = await source.entities(new AbortController().signal);
  }, 120_000);
  afterAll(async () => {
    await source?.close();
    await server?.stop();
  });

  const entityOf = (name: string) => entities.find((each) => each.name === name) as Entity;

  test.each(CASES)("C9 sorts %s, %s, page by page without losing a row", async (table, _type, _values, up, down) => {
    if (!server) return;
    const subject = { driver: mysql, source };
    for (const limit of [1, 2]) {
      expect(await idsByPage(subject, entityOf(table), { descending: false, limit })).toEqual(up);
      expect(await idsByPage(subject, entityOf(table), { descending: true, limit })).toEqual(down);
    }
  });

  test("C9 tells rows without a key apart by their whole values", async () => {
    if (!server) return;
    for (const descending of [false, true]) {
      const ids = await idsByPage({ driver: mysql, source }, entityOf("loose"), { descending, limit: 1 });
      expect(ids.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
    }
  });
});

describe.each<SubjectName>(["postgres", "duckdb", "sqlite"])("on %s", (name) => {
  test("C9 sorts long texts by their whole values", async () => {
    const subject = await startSubject(name);
    if (!subject) return;
    const source = await subject.open(false);
    try {
      const long = "a".repeat(2000);
      const values = [`'${long}z'`, `'${long}b'`, `'${long}c'`, "'b'", "null", `'${long}a'`];
      await change(source, "create table texts (id int primary key, v text)");
      await change(source, `insert into texts values ${values.map((value, index) => `(${index + 1}, ${value})`)}`);
      const entity = (await source.entities(new AbortController().signal)).find((each) => each.name === "texts");
      for (const [descending, ids] of [
        [false, [6, 2, 3, 1, 4, 5]],
        [true, [4, 1, 3, 2, 6, 5]],
      ] as const) {
        const order = { descending, limit: 1 };
        expect(await idsByPage({ driver: subject.driver, source }, entity as Entity, order)).toEqual(ids);
      }
    } finally {
      await source.close();
      await subject.stop();
    }
  }, 120_000);
});

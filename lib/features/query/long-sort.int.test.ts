import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Entity } from "@/lib/base/values/fields";
import type { DataSource, Driver, QueryableSource } from "@/lib/features/connections/data-source";
import { mysql } from "@/lib/features/connections/drivers/mysql";
import { splitCases } from "@/test/cases";
import { ask, change, openWith, type SubjectName, startSubject } from "@/test/conformance/drivers/subjects";
import { startMariaDb } from "@/test/servers/mariadb";
import { toTablePage } from "./table-statement";

/*
 * ORDER BY in MySQL and MariaDB reads only the first `max_sort_length` bytes of a value; a comparison reads all of it.
 */

const PAGES_MAX = 20;
/** Rows 1 to 6, whose values share their first 2000 bytes; a page that compares whole values loses some. */
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
    const { query, ...rest } = statement;
    const { fields, rows } = await ask(source, query, rest);
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
  // Equal by collation, with trailing spaces and in both cases: the key orders them.
  ["equals", "text", ["'a '", "'A'", "'a'", "'b'", "null", "'á'"], [1, 2, 3, 6, 4, 5], [4, 1, 2, 3, 6, 5]],
  [
    "short_equals",
    "varchar(255)",
    ["'a '", "'A'", "'a'", "'b'", "null", "'á'"],
    [1, 2, 3, 6, 4, 5],
    [4, 1, 2, 3, 6, 5],
  ],
  // Differ in the third level of the collation, which is compared after 800 bytes of the others.
  [
    "third_level",
    "varchar(255) collate utf8mb4_uca1400_as_cs",
    ["B", "b", "a", "A", "c"].map((end) => `concat(repeat('a', 200), '${end}')`),
    [3, 4, 2, 1, 5],
    [5, 1, 2, 4, 3],
  ],
  [
    "third_level_text",
    "text collate utf8mb4_uca1400_as_cs",
    ["B", "b", "a", "A", "c"].map((end) => `concat(repeat('a', 240), '${end}')`),
    [3, 4, 2, 1, 5],
    [5, 1, 2, 4, 3],
  ],
  // Differ after the 64 bytes that this server reads without the driver's setting, and within 250 characters.
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

/** Keys of more than 1024 bytes, or with more to compare, after a column with equal values and NULL. */
const KEYS: [table: string, key: string, values: (end: string) => string][] = [
  ["key_four_bytes", "k varchar(700) collate utf8mb4_bin primary key", (end) => `concat(repeat('😀', 600), '${end}')`],
  ["key_two_bytes", "k varchar(700) collate utf8mb4_general_ci primary key", (end) => `concat(repeat('é', 600), '${end}')`],
  ["key_one_byte", "k varchar(700) collate utf8mb4_unicode_ci primary key", (end) => `concat(repeat('a', 690), '${end}')`],
  ["key_levels", "k varchar(700) collate utf8mb4_uca1400_as_cs primary key", (end) => `concat(repeat('a', 690), '${end}')`],
  ["key_expansions", "k varchar(700) collate utf8mb4_uca1400_ai_ci primary key", (end) => `concat(repeat('ﷺ', 100), '${end}')`],
  ["key_no_pad", "k varchar(700) collate utf8mb4_unicode_nopad_ci primary key", (end) => `concat(repeat('a', 690), '${end}')`],
  ["key_latin", "k varchar(3000) character set latin1 primary key", (end) => `concat(repeat('a', 2900), '${end}')`],
  ["key_utf16", "k varchar(700) character set utf16 primary key", (end) => `concat(repeat('a', 690), '${end}')`],
  ["key_bytes", "k varbinary(3000) primary key", (end) => `concat(repeat('a', 2900), '${end}')`],
  ["key_prefix", "k text collate utf8mb4_bin, primary key (k(700))", (end) => `concat(repeat('😀', 600), '${end}')`],
  ["key_blob", "k blob, primary key (k(3000))", (end) => `concat(repeat('a', 2900), '${end}')`],
  ["key_fixed", "k char(255) collate utf8mb4_uca1400_as_cs primary key", (end) => `concat(repeat('a', 250), '${end}')`],
  ["key_short", "k varchar(20) primary key", (end) => `'${end}'`],
]; // biome-ignore format: a table
/** Capitals sort before small letters by their bytes, and before the same letter in most collations. */
const KEYED: [end: string, v: string][] = [
  ["Z", "1"],
  ["b", "1"],
  ["C", "1"],
  ["D", "null"],
  ["a", "null"],
  ["y", "1"],
  ["e", "2"],
  ["f", "0"],
];
const isBytewise = (key: string) => /utf8mb4_bin|blob|varbinary/.test(key);
const KEYED_UP = [8, 2, 3, 6, 1, 7, 5, 4];
const KEYED_DOWN = [7, 2, 3, 6, 1, 8, 5, 4];
const BYTES_UP = [8, 3, 1, 2, 6, 7, 4, 5];
const BYTES_DOWN = [7, 3, 1, 2, 6, 8, 4, 5];

for (const { tags, cases } of splitCases([1024, 64], 2))
  describe.each(cases)("on MariaDB with max_sort_length %i", { tags }, (sortLength) => {
    let server: Awaited<ReturnType<typeof startMariaDb>> = null;
    let source: Required<DataSource>;
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
      for (const [table, key, value] of KEYS) {
        const rows = KEYED.map(([end, v], index) => `(${index + 1}, ${v}, ${value(end)})`).join(", ");
        await change(
          writer,
          `create table ${table} (id int, v int, ${key}, index by_id (id, v))`,
          `insert into ${table} values ${rows}`,
        );
      }
      // Sorted only by its second part, which the index of the key does not order.
      const parts = KEYED.map(([end], index) => `(${index + 1}, concat(repeat('é', 300), '${end}'), 'x')`);
      await change(
        writer,
        "create table key_of_two (id int, v varchar(350) collate utf8mb4_unicode_ci, l varchar(350), primary key (l, v))",
        `insert into key_of_two values ${parts}`,
      );
      await change(writer, "create table cursors (id int primary key, v varchar(3000))");
      await change(
        writer,
        "insert into cursors select seq, concat(repeat('a', 2000), lpad(seq * 7919 % 1000, 4, '0')) from seq_1_to_500",
      );
      await change(writer, "create table loose (id int, v text)");
      await change(writer, `insert into loose values ${SAME_START("a").map((v, index) => `(${index + 1}, ${v})`)}`);
      await writer.close();
      source = (await openWith(mysql, config)) as Required<DataSource>;
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

    test.each(KEYS)(
      "C9 reads equal values and NULL of %s page by page in the order of its long key",
      async (table, key) => {
        if (!server) return;
        const subject = { driver: mysql, source };
        const [up, down] = isBytewise(key) ? [BYTES_UP, BYTES_DOWN] : [KEYED_UP, KEYED_DOWN];
        for (const limit of [1, 2, 100]) {
          expect(await idsByPage(subject, entityOf(table), { descending: false, limit })).toEqual(up);
          expect(await idsByPage(subject, entityOf(table), { descending: true, limit })).toEqual(down);
        }
      },
    );

    test("C9 sorts by the long second part of a key, both ways", async () => {
      if (!server) return;
      const subject = { driver: mysql, source };
      const up = [5, 2, 3, 4, 7, 8, 6, 1];
      for (const limit of [1, 2, 100]) {
        expect(await idsByPage(subject, entityOf("key_of_two"), { descending: false, limit })).toEqual(up);
        expect(await idsByPage(subject, entityOf("key_of_two"), { descending: true, limit })).toEqual(up.toReversed());
      }
    });

    test("C9 reads a flow's rows in the order of a long text cursor", async () => {
      if (!server) return;
      const { batches } = await source.extract({
        entity: { name: "cursors" },
        cursorField: "v",
        primaryKey: ["id"],
        from: null,
        batchRows: 100,
        signal: new AbortController().signal,
      });
      const ends: string[] = [];
      for await (const { columns } of batches) ends.push(...(columns[1] ?? []).map((value) => String(value).slice(-4)));
      expect(ends).toHaveLength(500);
      expect(ends).toEqual(ends.toSorted());
    });

    test("C9 keeps the server's order in users' statements", async () => {
      if (!server) return;
      const { rows } = await ask(source, "select @@session.max_sort_length");
      expect(rows).toEqual([[sortLength]]);
    });

    test("C9 distinguishes rows without a key by all values", async () => {
      if (!server) return;
      for (const descending of [false, true]) {
        const ids = await idsByPage({ driver: mysql, source }, entityOf("loose"), { descending, limit: 1 });
        expect(ids.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
      }
    });
  });

describe.each<SubjectName>(["postgres", "duckdb", "sqlite"])("on %s", (name) => {
  test("C9 sorts long texts by all characters", async () => {
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

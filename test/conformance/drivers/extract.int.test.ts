import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WireValue } from "@/lib/base/values/fields";
import type { Checkpoint, QueryableSource } from "../../../lib/features/connections/data-source";
import { ANY, type FlowSource, read, rowsOf, sorted } from "./flow-steps";
import { change, type Subject, type SubjectName, startSubject } from "./subjects";

type Kind = {
  text: string;
  micros: string;
  decimal: string;
  quote: (name: string) => string;
  stamps: string[];
  view?: string;
};

const standard = (name: string) => `"${name.replaceAll('"', '""')}"`;
const STAMPS = ["2026-10-31 10:00:00.000001", "2026-10-31 10:00:00.000002", "2026-10-31 10:00:00.1"];

const KINDS: Partial<Record<SubjectName, Kind>> = {
  postgres: { text: "text", micros: "timestamptz", decimal: "numeric", quote: standard, stamps: STAMPS },
  mariadb: {
    ...{ text: "varchar(20)", micros: "datetime(6)", decimal: "decimal(40,10)", stamps: STAMPS },
    view: "sql security invoker view",
    quote: (name) => `\`${name.replaceAll("`", "``")}\``,
  },
  duckdb: { text: "varchar", micros: "timestamptz", decimal: "decimal(38,10)", quote: standard, stamps: STAMPS },
  sqlite: { text: "text collate nocase", micros: "text", decimal: "real", quote: standard, stamps: STAMPS },
};

for (const name of Object.keys(KINDS) as SubjectName[])
  describe(`reading from ${name}`, { tags: name === "sqlite" ? ["long"] : [] }, () => {
    /** Of lesser tests: other databases are in every run. */
    const lesser = name === "duckdb" ? ["long"] : [];
    const kind = KINDS[name] as Kind;
    const { quote } = kind;
    let subject: Subject | null = null;
    let writer: QueryableSource;
    let source: FlowSource;

    beforeAll(async () => {
      subject = await startSubject(name);
      if (!subject) return;
      writer = await subject.open(false);
      // The first statement creates the file.
      await writer.entities(ANY);
      source = (await subject.open(true)) as unknown as FlowSource;
    }, 120_000);
    afterAll(async () => {
      await Promise.all([source?.close(), writer?.close()]);
      await subject?.stop();
    });

    const insert = async (table: string, rows: readonly (readonly (string | number | null)[])[]) => {
      const literal = (value: string | number | null) =>
        value === null ? "null" : typeof value === "number" ? String(value) : `'${value.replaceAll("'", "''")}'`;
      for (let from = 0; from < rows.length; from += 1000) {
        const values = rows.slice(from, from + 1000).map((row) => `(${row.map(literal).join(", ")})`);
        await change(writer, `insert into ${quote(table)} values ${values.join(", ")}`);
      }
    };
    /** Reads to the end, resuming from the last checkpoint after every so many batches. */
    const inPieces = async (request: Parameters<typeof read>[1], batchesMax: number): Promise<WireValue[][]> => {
      const rows: WireValue[][] = [];
      let from: Checkpoint | null = request.from ?? null;
      for (let readings = 0; readings < 100; readings += 1) {
        // The checkpoint as a store returns it.
        const stored = JSON.parse(JSON.stringify(from)) as Checkpoint | null;
        const { batches } = await read(source, { ...request, from: stored }, batchesMax);
        for (const batch of batches) rows.push(...rowsOf(batch));
        if (batches.length === 0) return rows;
        from = batches.at(-1)?.checkpoint ?? null;
        if (from === null) throw new Error("The reading cannot go on.");
      }
      throw new Error("The reading does not end.");
    };

    test("resumes a whole table in key order from each checkpoint", { tags: lesser }, async (context) => {
      if (!subject) return context.skip();
      await change(writer, "create table whole (a int not null, b varchar(20) not null, c int, primary key (a, b))");
      const rows = Array.from({ length: 50 }, (_, at) => [Math.floor(at / 7), `b${at % 7}'"`, at]);
      await insert("whole", [...rows].reverse());
      expect((await read(source, { entity: { name: "whole" }, batchRows: 8 })).rows).toEqual(rows);
      expect(await inPieces({ entity: { name: "whole" }, batchRows: 8 }, 2)).toEqual(rows);
      const { batches } = await read(source, { entity: { name: "whole" }, batchRows: 8 });
      expect(batches.map(({ rowCount }) => rowCount)).toEqual([8, 8, 8, 8, 8, 8, 2]);
    });

    test("reads a table without a key completely, and reports that it can't resume", {
      tags: lesser,
    }, async (context) => {
      if (!subject) return context.skip();
      await change(writer, "create table keyless (a int)", "insert into keyless values (1), (1), (2)");
      const { rows, batches } = await read(source, { entity: { name: "keyless" } });
      expect(sorted(rows)).toEqual([[1], [1], [2]]);
      expect(batches.map(({ checkpoint }) => checkpoint)).toEqual([null]);
    });

    test("reads a whole table from one snapshot", async (context) => {
      if (!subject) return context.skip();
      await change(writer, "create table moment (id int primary key, v int)");
      await insert("moment", Array.from({ length: 20_000 }, (_, id) => [id * 2, 0])); // biome-ignore format: short
      const { batches } = await source.extract({
        ...{
          entity: { name: "moment" },
          cursorField: null,
          primaryKey: ["id"],
          from: null,
          batchRows: 500,
          signal: ANY,
        },
      });
      let count = 0;
      let isChanged: Promise<void> | null = null;
      for await (const { rowCount, columns } of batches) {
        isChanged ??= change(writer, "update moment set v = 1", "delete from moment where id > 30000");
        count += rowCount;
        expect(columns[1]?.every((value) => value === 0)).toBe(true);
      }
      await isChanged;
      expect(count).toBe(20_000);
    });

    test("orders rows of one cursor value by key: none twice, and no later one missed", {
      tags: ["long"],
    }, async (context) => {
      if (!subject) return context.skip();
      await change(writer, "create table changes (id int primary key, stamp int)");
      await insert("changes", Array.from({ length: 40 }, (_, at) => [100 + at, Math.floor(at / 15)])); // biome-ignore format: short
      const request = { entity: { name: "changes" }, cursorField: "stamp", primaryKey: ["id"], batchRows: 6 };
      expect(await inPieces(request, 1)).toEqual(
        Array.from({ length: 40 }, (_, at) => [100 + at, Math.floor(at / 15)]),
      );
      const first = await read(source, request);
      const last = first.batches.at(-1)?.checkpoint ?? null;
      expect((await read(source, { ...request, from: last })).rows).toEqual([]);
      await insert("changes", [[1, 2], [2, 1], [3, 3]]); // biome-ignore format: three rows
      const second = await read(source, { ...request, from: last });
      expect(second.rows).toEqual([[1, 2], [3, 3]]); // biome-ignore format: two rows
      const end = second.batches.at(-1)?.checkpoint ?? null;
      await insert("changes", [[0, 3]]);
      expect((await read(source, { ...request, from: end })).rows).toEqual([[0, 3]]);
    });

    test("reads only strictly newer rows without a key, and splits no value", async (context) => {
      if (!subject) return context.skip();
      await change(writer, "create table plain (stamp int, n int)");
      await insert("plain", Array.from({ length: 30 }, (_, n) => [Math.floor(n / 10), n])); // biome-ignore format: short
      const request = { entity: { name: "plain" }, cursorField: "stamp", batchRows: 4 };
      const { batches, rows } = await read(source, request);
      expect(rows).toHaveLength(30);
      for (const { columns } of batches) expect(new Set(columns[0]).size).toBe(1);
      expect(sorted(await inPieces(request, 1))).toEqual(sorted(rows));
      await insert("plain", [[2, 99], [3, 100]]); // biome-ignore format: two rows
      expect((await read(source, { ...request, from: batches.at(-1)?.checkpoint ?? null })).rows).toEqual([[3, 100]]);
    });

    test.each([true, false])("reads rows with a null cursor first, once (key: %s)", async (hasKey) => {
      if (!subject) return;
      const table = hasKey ? "nulls_key" : "nulls_plain";
      await change(writer, `create table ${table} (id int primary key, stamp int)`);
      await insert(table, [[1, null], [2, 5], [3, null], [4, 4], [5, null]]); // biome-ignore format: five rows
      const request = { entity: { name: table }, cursorField: "stamp", primaryKey: hasKey ? ["id"] : [], batchRows: 2 };
      const rows = await inPieces(request, 1);
      expect(sorted(rows)).toEqual(sorted([[1, null], [3, null], [5, null], [4, 4], [2, 5]])); // biome-ignore format: five rows
      expect(rows.slice(3)).toEqual([[4, 4], [2, 5]]); // biome-ignore format: two rows
      const { batches } = await read(source, request);
      const from = batches.at(-1)?.checkpoint ?? null;
      await insert(table, [[6, null], [7, 6]]); // biome-ignore format: two rows
      expect((await read(source, { ...request, from })).rows).toEqual([[7, 6]]);
    });

    test("keeps cursors exact: large integers, decimals, microseconds", async (context) => {
      if (!subject) return context.skip();
      await change(
        writer,
        `create table exact (id int primary key, big bigint, amount ${kind.decimal}, stamp ${kind.micros})`,
      );
      const bigs = ["9007199254740993", "9007199254740994", "9223372036854775807"];
      const amounts = ["0.10", "0.1000000001", "12345678901234567890.5"];
      for (const [at, big] of bigs.entries()) {
        const stamp = kind.stamps[at] ?? "";
        await change(writer, `insert into exact values (${at}, ${big}, ${amounts[at]}, '${stamp}')`);
      }
      for (const cursorField of ["big", "amount", "stamp"]) {
        for (const primaryKey of [["id"], []]) {
          const request = { entity: { name: "exact" }, cursorField, primaryKey, batchRows: 1 };
          expect((await inPieces(request, 1)).map(([id]) => id)).toEqual([0, 1, 2]);
        }
      }
    });

    test("orders text cursors by bytes, whatever the column's collation", { tags: ["long"] }, async (context) => {
      if (!subject) return context.skip();
      await change(writer, `create table words (id int primary key, word ${kind.text})`);
      const words = ["", " ", "A", "B", "a", "a ", "aa", "b", "z", "ä", "é", "é", "☃", "😀"];
      await insert("words", words.map((word, id) => [words.length - id, word])); // biome-ignore format: short
      for (const primaryKey of [["id"], []]) {
        const request = { entity: { name: "words" }, cursorField: "word", primaryKey, batchRows: 1 };
        const found = (await inPieces(request, 1)).map(([, word]) => String(word));
        expect(found).toEqual([...words].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))));
      }
    });

    test("quotes names", { tags: lesser }, async (context) => {
      if (!subject) return context.skip();
      const names = ['ta"ble.☃', 'cur"sor', "do.t", "it's"];
      const [table = "", ...columns] = names;
      const declared = columns.map((each) => `${quote(each)} int not null`).join(", ");
      await change(
        writer,
        `create table ${quote(table)} (${declared}, primary key (${quote("do.t")}, ${quote("it's")}))`,
      );
      await insert(table, [[1, 1, 1], [1, 2, 1], [2, 1, 2]]); // biome-ignore format: three rows
      const entity = { name: table };
      expect(await inPieces({ entity, batchRows: 1 }, 1)).toHaveLength(3);
      const request = { entity, cursorField: 'cur"sor', primaryKey: ["do.t", "it's"], batchRows: 1 };
      expect(await inPieces(request, 1)).toEqual([[1, 1, 1], [1, 2, 1], [2, 1, 2]]); // biome-ignore format: three rows
    });

    test("reads views, and reports missing tables", { tags: lesser }, async (context) => {
      if (!subject) return context.skip();
      await change(writer, "create table seen (id int primary key)", "insert into seen values (1), (2)");
      await change(writer, `create ${kind.view ?? "view"} looks as select id * 10 as ten from seen`);
      expect(sorted((await read(source, { entity: { name: "looks" }, cursorField: "ten" })).rows)).toEqual([
        [10],
        [20],
      ]);
      const missing = { kind: "invalid_request" };
      await expect(read(source, { entity: { name: "nowhere" } })).rejects.toMatchObject(missing);
      await expect(read(source, { entity: { name: "seen" }, cursorField: "nothing" })).rejects.toMatchObject(missing);
      await expect(
        read(source, { entity: { name: "seen" }, cursorField: "id", primaryKey: ["nothing"] }),
      ).rejects.toMatchObject(missing);
    });

    test("ends the read when its reader leaves", async (context) => {
      if (!subject) return context.skip();
      await change(writer, "create table long_one (id int primary key, v varchar(600))");
      await insert("long_one", Array.from({ length: 4_000 }, (_, id) => [id, "x".repeat(500)])); // biome-ignore format: short
      const leave = new AbortController();
      const reading = read(source, { entity: { name: "long_one" }, batchRows: 10, signal: leave.signal }, 3);
      expect((await reading).batches).toHaveLength(3);
      const { batches } = await source.extract({
        ...{ entity: { name: "long_one" }, cursorField: null, primaryKey: [], from: null, batchRows: 10 },
        signal: leave.signal,
      });
      await expect(
        (async () => {
          for await (const _ of batches) leave.abort(new Error("left"));
        })(),
      ).rejects.toThrow("left");
    });
  });

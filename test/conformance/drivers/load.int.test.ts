import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { WireValue } from "@/lib/base/values/fields";
import { NoColumns } from "@/lib/features/connections/drivers/shared/flows/sql-load";
import type { Checkpoint, LoadMode, QueryableSource } from "../../../lib/features/connections/data-source";
import {
  ANY,
  batchOf,
  begin,
  type FlowSource,
  type FlowSubject,
  type FlowSubjectName,
  field,
  loadRows,
  read,
  sorted,
  startFlowSubject,
} from "./flow-steps";
import { ask, change } from "./subjects";

/** Names that break unquoted SQL: each database takes those that it can. */
const NAMES = ['we"ird', "do.t", "späce ☃", "sel`ect", "semi;colon", "it's", "order"];

/** SQLite keeps decimals as text, and columns keep their original types; documents have no columns. */
const TYPED = (name: FlowSubjectName) => name !== "sqlite" && name !== "mongodb";

const LOADED: FlowSubjectName[] = ["postgres", "mariadb", "duckdb", "sqlite", "mongodb", "clickhouse"];

/** Tables that the destination uses for bookkeeping. */
const OWN = /^_millrace_/;

// ClickHouse's engine restarts for each read-only statement that follows a change.
vi.setConfig({ testTimeout: 120_000 });

/** Others share most of their code with PostgreSQL or DuckDB, or run on a stand-in. */
const LOADED_LONG: FlowSubjectName[] = ["sqlite", "clickhouse"];

for (const name of LOADED)
  describe(`loads into ${name}`, { tags: LOADED_LONG.includes(name) ? ["long"] : [] }, () => {
    /** Of lesser tests: other databases are in every run. */
    const lesser = ["duckdb", "mongodb"].includes(name) ? ["long"] : [];
    let subject: FlowSubject | null = null;
    let source: FlowSource & QueryableSource;
    let tables = 0;
    const table = () => {
      tables += 1;
      return { name: `t${tables}` };
    };

    beforeAll(async () => {
      subject = await startFlowSubject(name);
      if (!subject) return;
      source = await subject.open(false);
      // The first statement creates the file.
      await source.entities(ANY);
    }, 120_000);
    afterAll(async () => {
      await source?.close();
      await subject?.stop();
    });

    const COLUMNS = [field("id", "int64"), field("name", "string")];
    const all = async (place: { name: string }): Promise<WireValue[][]> => {
      if (name === "clickhouse") {
        // Rows of one key become one when the server merges.
        await change(source, `optimize table ${place.name} final`);
        return sorted((await ask(source, `select id, name from ${place.name}`, { readOnly: false })).rows);
      }
      const { fields, rows } = await read(source, { entity: place });
      const places = ["id", "name"].map((each) => fields.findIndex((one) => one.name === each));
      return sorted(rows.map((row) => places.map((at) => row[at] ?? null)));
    };
    const staged = async () =>
      (await source.entities(ANY)).filter((entity) => entity.name.startsWith("_millrace_stage"));

    test("rejects a read-only connection and creates nothing", async (context) => {
      if (!subject) return context.skip();
      const reader = await subject.open(true);
      const place = table();
      await expect(begin(reader, { table: place, columns: COLUMNS })).rejects.toMatchObject({ kind: "read_only" });
      expect((await source.entities(ANY)).filter((entity) => entity.name === place.name)).toEqual([]);
      await reader.close();
    });

    test("appends batches to a table that it creates, and counts them", async (context) => {
      if (!subject) return context.skip();
      const place = table();
      const load = await begin(source, { table: place, columns: COLUMNS, primaryKey: ["id"] });
      expect(load.state).toEqual({ position: null, isResumed: false, rowCount: 0, isFinished: false });
      const first = batchOf([[1, "one"], ["9007199254740993", null]]); // biome-ignore format: two rows
      expect(await load.write(first, { position: { at: 1 }, rejectsMax: 0 })).toEqual({ written: 2, rejected: [] });
      expect(await all(place)).toEqual([["9007199254740993", null], [1, "one"]]); // biome-ignore format: two rows
      await load.write(batchOf([[2, "two"]]), { position: { at: 2 }, rejectsMax: 0 });
      await load.finish();
      expect(await all(place)).toHaveLength(3);
    });

    test("requires an existing table for a load without columns, and empties one that it replaces", {
      tags: lesser,
    }, async (context) => {
      if (!subject) return context.skip();
      const place = table();
      const nothing = { table: place, columns: [], primaryKey: ["id"] };
      for (const mode of ["append", "upsert", "replace"] as const) {
        await expect(begin(source, { ...nothing, mode })).rejects.toBeInstanceOf(NoColumns);
      }
      expect((await source.entities(ANY)).filter((entity) => entity.name === place.name)).toEqual([]);
      const first = await begin(source, { table: place, columns: COLUMNS, primaryKey: ["id"] });
      await first.write(batchOf([[1, "one"], [2, "two"]]), { position: { at: 2 }, rejectsMax: 0 }); // biome-ignore format: two rows
      await first.finish();
      for (const [mode, left] of [["append", 2], ["upsert", 2], ["replace", 0]] as const) {
      const load = await begin(source, { ...nothing, mode, run: `nothing ${mode}` });
      expect(load.state).toMatchObject({ position: { at: 2 }, isResumed: false });
      const none = { rowCount: 0, columns: [] };
      expect(await load.write(none, { position: { at: 2 }, rejectsMax: 0 })).toEqual({ written: 0, rejected: [] });
      await load.finish();
      expect([mode, (await all(place)).length]).toEqual([mode, left]);
    } // biome-ignore format: three modes
      expect(await staged()).toEqual([]);
    });

    test.each(["append", "upsert", "replace"] as LoadMode[])(
      "%s: resumes after a killed run at the stored rows, and writes none twice",
      async (mode) => {
        if (!subject) return;
        const place = table();
        const request = { table: place, columns: COLUMNS, primaryKey: ["id"], mode, run: `killed ${mode}` };
        const killed = await begin(source, request);
        await killed.write(batchOf([[1, "a"], [2, "b"]]), { position: "behind 2", rejectsMax: 0 }); // biome-ignore format: two rows
        const again = await begin(source, request);
        expect(again.state).toEqual({ position: "behind 2", isResumed: true, rowCount: 2, isFinished: false });
        await again.write(batchOf([[3, "c"]]), { position: "behind 3", rejectsMax: 0 });
        await again.finish();
        expect(await all(place)).toEqual([[1, "a"], [2, "b"], [3, "c"]]); // biome-ignore format: three rows
        const late = await begin(source, request);
        expect(late.state).toMatchObject({ position: "behind 3", isFinished: true, rowCount: 3 });
        await late.finish();
        expect(await all(place)).toHaveLength(3);
        // The next run learns where this one ended.
        const next = await begin(source, { ...request, run: `next ${mode}` });
        expect(next.state).toMatchObject({ position: "behind 3", isResumed: false, rowCount: 0, isFinished: false });
        await next.abandon();
        expect(await staged()).toEqual([]);
      },
    );

    test("ignores writes of a worker that was declared dead", async (context) => {
      if (!subject) return context.skip();
      const place = table();
      const request = { table: place, columns: COLUMNS, run: "one run" };
      const dead = await begin(source, request);
      await dead.write(batchOf([[1, "a"]]), { position: 1, rejectsMax: 0 });
      const alive = await begin(source, request);
      await expect(dead.write(batchOf([[2, "b"]]), { position: 2, rejectsMax: 0 })).rejects.toMatchObject({
        kind: "conflict",
      });
      await expect(dead.finish()).rejects.toMatchObject({ kind: "conflict" });
      await alive.write(batchOf([[2, "b"]]), { position: 2, rejectsMax: 0 });
      expect(await all(place)).toEqual([[1, "a"], [2, "b"]]); // biome-ignore format: two rows
    });

    test("lets one of two workers with the same load write", { tags: lesser }, async (context) => {
      // ClickHouse compares nothing before it writes.
      if (!subject || name === "clickhouse") return context.skip();
      const place = table();
      await loadRows(source, { table: place, columns: COLUMNS, load: "a race before" }, []);
      const both = await Promise.all(
        [1, 2].map(() => begin(source, { table: place, columns: COLUMNS, load: "a race", run: "the same" })),
      );
      const written = await Promise.allSettled(
        both.map((load) => load.write(batchOf([[1, "a"]]), { position: 1, rejectsMax: 0 })),
      );
      expect(written.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(await all(place)).toEqual([[1, "a"]]);
    });

    test("replace: keeps the old rows until all new ones have arrived", { tags: lesser }, async (context) => {
      if (!subject) return context.skip();
      const place = table();
      await loadRows(source, { table: place, columns: COLUMNS, primaryKey: ["id"] }, [[1, "old"], [2, "old"]]); // biome-ignore format: two rows
      const load = await begin(source, { table: place, columns: COLUMNS, primaryKey: ["id"], mode: "replace" });
      await load.write(batchOf([[2, "new"], [3, "new"]]), { position: 1, rejectsMax: 0 }); // biome-ignore format: two rows
      expect(await all(place)).toEqual([[1, "old"], [2, "old"]]); // biome-ignore format: two rows
      await load.finish();
      expect(await all(place)).toEqual([[2, "new"], [3, "new"]]); // biome-ignore format: two rows
      expect(await staged()).toEqual([]);
    });

    test("replace: shows concurrent readers either the old rows or the new ones", async (context) => {
      if (!subject) return context.skip();
      const place = table();
      const rows = (text: string) => Array.from({ length: 3000 }, (_, id): WireValue[] => [id, text]);
      await loadRows(source, { table: place, columns: COLUMNS }, rows("0"));
      const seen = new Set<string>();
      let isOver = false;
      const reader = (async () => {
        while (!isOver) {
          const found = await all(place).catch((error: unknown) => {
            // MongoDB reports to a reader that its collection is gone, so the rows read so far are incomplete.
            if (name === "mongodb" && String(error).includes("dropped")) return null;
            throw error;
          });
          if (found !== null) seen.add(`${found.length} of ${[...new Set(found.map(([, text]) => text))].join(", ")}`);
        }
      })();
      for (let round = 1; round <= 5; round += 1) {
        await loadRows(source, { table: place, columns: COLUMNS, mode: "replace" }, rows(String(round)));
      }
      isOver = true;
      await reader;
      for (const each of seen) expect(each).toMatch(/^3000 of \d$/);
    });

    test("replace: removes the leftovers of a killed run with the next one", { tags: ["long"] }, async (context) => {
      if (!subject) return context.skip();
      const place = table();
      await loadRows(source, { table: place, columns: COLUMNS }, [[1, "kept"]]);
      const killed = await begin(source, { table: place, columns: COLUMNS, mode: "replace" });
      await killed.write(batchOf([[7, "never seen"]]), { position: 7, rejectsMax: 0 });
      expect(await staged()).toHaveLength(1);
      const next = await begin(source, { table: place, columns: COLUMNS, mode: "replace" });
      expect(next.state).toMatchObject({ isResumed: false, rowCount: 0, position: null });
      await next.write(batchOf([[8, "new"]]), { position: 8, rejectsMax: 0 });
      await next.finish();
      expect(await all(place)).toEqual([[8, "new"]]);
      expect(await staged()).toEqual([]);
    });

    test.each(["append", "upsert"] as LoadMode[])(
      "%s: shows rows of a source that can't resume all at once, and a restart duplicates none",
      async (mode) => {
        if (!subject) return;
        const place = table();
        const request = { table: place, columns: COLUMNS, mode, primaryKey: ["id"], visible: "end" as const };
        await loadRows(source, { ...request, visible: "batch" }, [[1, "before"]]);
        const killed = await begin(source, { ...request, run: `again ${mode}` });
        await killed.write(batchOf([[2, "b"]]), { position: null, rejectsMax: 0 });
        expect(await all(place)).toEqual([[1, "before"]]);
        const again = await begin(source, { ...request, run: `again ${mode}` });
        expect(again.state).toMatchObject({ isResumed: false, rowCount: 0 });
        await again.write(batchOf([[2, "b"]]), { position: null, rejectsMax: 0 });
        await again.write(batchOf([[3, "c"]]), { position: null, rejectsMax: 0 });
        await again.finish();
        expect(await all(place)).toEqual([[1, "before"], [2, "b"], [3, "c"]]); // biome-ignore format: three rows
      },
    );

    test("upsert: updates existing rows, inserts others, and the last row per key wins", async (context) => {
      if (!subject) return context.skip();
      const place = table();
      const request = { table: place, columns: COLUMNS, primaryKey: ["id"], mode: "upsert" as const };
      await loadRows(source, request, [[1, "a"], [2, "b"]]); // biome-ignore format: two rows
      await loadRows(source, request, [[2, "B"], [3, "c"], [3, "C"], [2, "BB"]]); // biome-ignore format: four rows
      expect(await all(place)).toEqual([[1, "a"], [2, "BB"], [3, "C"]]); // biome-ignore format: three rows
      // A repeated batch changes nothing.
      await loadRows(source, request, [[2, "BB"], [3, "C"]]); // biome-ignore format: two rows
      expect(await all(place)).toEqual([[1, "a"], [2, "BB"], [3, "C"]]); // biome-ignore format: three rows
    });

    test("upsert: rejects a table without such a key, with instructions", async (context) => {
      if (!subject || name === "mongodb") return context.skip();
      const place = table();
      await loadRows(source, { table: place, columns: COLUMNS }, [[1, "a"]]);
      await expect(
        begin(source, { table: place, columns: COLUMNS, primaryKey: ["id"], mode: "upsert" }),
      ).rejects.toMatchObject({ kind: "invalid_request", message: expect.stringMatching(/unique/i) });
    });

    test("adds columns, widens numbers, and leaves removed columns null", { tags: lesser }, async (context) => {
      if (!subject) return context.skip();
      const place = table();
      await loadRows(source, { table: place, columns: [field("id", "int32"), field("gone", "string")] }, [[1, "x"]]);
      await loadRows(source, { table: place, columns: [field("id", "int64"), field("new", "float64")] }, [
        ["9007199254740993", 1.5],
      ]);
      const { fields, rows } = await read(source, { entity: place });
      const at = (column: string) => fields.findIndex((each) => each.name === column);
      const names = fields.map((each) => each.name).filter((each) => each !== "_id");
      expect(names.sort()).toEqual(["gone", "id", "new"]);
      expect(
        sorted(rows.map((row) => [row[at("id")] ?? null, row[at("gone")] ?? null, row[at("new")] ?? null])),
      ).toEqual(
        [["9007199254740993", null, 1.5], [1, "x", null]], // biome-ignore format: two rows
      );
      if (!TYPED(name)) return;
      await loadRows(source, { table: place, columns: [field("id", "decimal", "decimal(30,4)")] }, [
        ["12345678901234567890123456.1234"],
      ]);
      const texts = (await read(source, { entity: place })).rows.map((row) => String(row[at("id")]));
      expect(texts).toContainEqual(expect.stringMatching(/^12345678901234567890123456\.12340*$/));
    });

    test("names an incompatible column before writing a row", { tags: lesser }, async (context) => {
      if (!subject || name === "mongodb") return context.skip();
      const place = table();
      await loadRows(source, { table: place, columns: COLUMNS }, [[1, "a"]]);
      await expect(
        begin(source, { table: place, columns: [field("id", "json"), field("name", "string")] }),
      ).rejects.toMatchObject({ kind: "invalid_request", message: expect.stringContaining("id") });
      expect(await all(place)).toEqual([[1, "a"]]);
    });

    test("writes nothing of a batch with a rejected row, and names the row", async (context) => {
      if (!subject) return context.skip();
      const place = table();
      const columns = [field("id", "int64"), field("price", "decimal", "decimal(6,2)")];
      const load = await begin(source, { table: place, columns, primaryKey: ["id"] });
      await load.write(batchOf([[0, "0.00"]]), { position: 0, rejectsMax: 0 });
      const bad = batchOf([[1, "1.00"], [2, "2.00"], [3, "123456.00"], [4, "4.00"]]); // biome-ignore format: four rows
      if (!TYPED(name)) bad.columns[0]?.splice(2, 1, null);
      await expect(load.write(bad, { position: 4, rejectsMax: 0 })).rejects.toMatchObject({
        kind: "query_failed",
        details: { row: 2 },
      });
      if (TYPED(name)) {
        const digits = batchOf([[1, "1.00"], [2, "2.001"]]); // biome-ignore format: two rows
        await expect(load.write(digits, { position: 4, rejectsMax: 0 })).rejects.toMatchObject({
          details: { row: 1, column: "price" },
        });
      }
      const nothing = batchOf([[1, "1.00"], [null, "2.00"]]); // biome-ignore format: two rows
      await expect(load.write(nothing, { position: 4, rejectsMax: 0 })).rejects.toMatchObject({
        details: { row: 1, column: "id" },
      });
      if (name === "clickhouse") return;
      const key = batchOf([[5, "5.00"], [0, "6.00"]]); // biome-ignore format: two rows
      await expect(load.write(key, { position: 4, rejectsMax: 0 })).rejects.toMatchObject({ details: { row: 1 } });
      expect((await read(source, { entity: place })).rows).toHaveLength(1);
      // The same load continues, and skips the rows that may be skipped.
      const { written, rejected } = await load.write(bad, { position: 4, rejectsMax: 1 });
      expect([written, rejected.map(({ row }) => row)]).toEqual([3, [2]]);
      const both = batchOf([[TYPED(name) ? 5 : null, "1234567.00"], [6, "6.00"], [0, "0.00"], [7, "7.00"]]); // biome-ignore format: four rows
      await expect(load.write(both, { position: 9, rejectsMax: 1 })).rejects.toMatchObject({ kind: "query_failed" });
      const more = await load.write(both, { position: 9, rejectsMax: 2 });
      expect([more.written, more.rejected.map(({ row }) => row).sort()]).toEqual([2, [0, 2]]);
      expect((await begin(source, { table: place, columns, primaryKey: ["id"] })).state.position).toBe(9);
    });

    test("quotes names", { tags: lesser }, async (context) => {
      if (!subject) return context.skip();
      const columns = [field("id", "int64"), ...NAMES.map((each) => field(each, "string"))];
      const place = { name: `ta"ble's ☃.${tables}` };
      const row = [1, ...NAMES];
      // A ClickHouse table supports upserts from its creation, or never.
      const modes: LoadMode[] = name === "clickhouse" ? ["append", "replace"] : ["append", "upsert", "replace"];
      for (const mode of modes) {
        await loadRows(source, { table: place, columns, mode, primaryKey: ["id"] }, [row]);
        const { fields, rows } = await read(source, { entity: place, cursorField: NAMES[0] ?? "", primaryKey: ["id"] });
        const order = columns.map((column) => fields.findIndex((each) => each.name === column.name));
        expect(rows.map((each) => order.map((at) => each[at] ?? null))).toEqual([row]);
      }
    });

    test("treats types from a source as types only (T40)", async (context) => {
      const hostile = '"int); drop table victim; --"';
      const made: Partial<Record<FlowSubjectName, string[]>> = {
        duckdb: [`create type ${hostile} as enum ('a', 'b')`, `create table hostile (id bigint, name ${hostile})`],
        sqlite: [`create table hostile (id integer, name ${hostile.replace("int", "text")})`],
      };
      const statements = made[name];
      if (!subject || !statements) return context.skip();
      await change(source, "create table victim (id int)", ...statements);
      for (const mode of ["append", "replace"] as const) {
        await loadRows(source, { table: { name: "hostile" }, columns: COLUMNS, mode }, [[1, "a"], [2, null]]); // biome-ignore format: two rows
      }
      expect(await all({ name: "hostile" })).toEqual([[1, "a"], [2, null]]); // biome-ignore format: two rows
      expect((await source.entities(ANY)).map((entity) => entity.name)).toContain("victim");
    });

    test("returns a position digit for digit", { tags: ["long"] }, async (context) => {
      if (!subject) return context.skip();
      const place = table();
      const position: Checkpoint = {
        value: "2026-10-31T10:00:00.000001Z",
        seen: ["it's", '"\\☃\n'],
        key: ["9007199254740993", null, 0.1],
      };
      const load = await begin(source, { table: place, columns: COLUMNS });
      await load.write(batchOf([[1, "a"]]), { position, rejectsMax: 0 });
      expect((await begin(source, { table: place, columns: COLUMNS })).state.position).toEqual(position);
    });

    test("ends the write when the caller leaves, without the batch", async (context) => {
      if (!subject) return context.skip();
      const place = table();
      const leave = new AbortController();
      const load = await begin(source, { table: place, columns: COLUMNS, signal: leave.signal });
      const rows = Array.from({ length: 200_000 }, (_, id): WireValue[] => [id, "x".repeat(20)]);
      const writing = load.write(batchOf(rows), { position: 1, rejectsMax: 0 });
      setImmediate(() => leave.abort(new Error("left")));
      await expect(writing).rejects.toThrow("left");
      expect(await all(place)).toEqual([]);
      expect((await begin(source, { table: place, columns: COLUMNS })).state.position).toBeNull();
    });

    test("hides its own tables from flows", { tags: ["long"] }, async (context) => {
      if (!subject) return context.skip();
      const own = (await source.entities(ANY)).filter((entity) => OWN.test(entity.name)).map((entity) => entity.name);
      expect(own).toEqual(["_millrace_loads"]);
    });
  });

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WireValue } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import { ALLOWED, NOT_ALLOWED, WRITES } from "@/test/conformance/drivers/corpus/clickhouse";
import { type FlowSource, field, loadRows, read } from "@/test/conformance/drivers/flow-steps";
import { ask, change, openWith } from "@/test/conformance/drivers/subjects";
import { type ChDb, startChDb } from "@/test/servers/chdb";
import type { Checkpoint, QueryableSource } from "../../data-source";
import { clickhouse } from ".";

/** Number of texts for each way to the file. PROPERTY_RUNS sets another number. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 1000);
const CANARY = "the-canary-sings-at-night";
const folder = mkdtempSync(join(tmpdir(), "millrace-clickhouse-"));
const file = join(folder, "canary.txt");
const REFUSALS = new Set(["read_only", "not_allowed", "query_failed", "invalid_request"]);

let chDb: ChDb | null = null;
let reader: QueryableSource;

beforeAll(async () => {
  writeFileSync(file, CANARY);
  chDb = await startChDb();
  if (!chDb) return;
  const config = { host: "127.0.0.1", port: chDb.port, user: "default", password: "" };
  const writer = await openWith(clickhouse, config, false);
  await change(
    writer,
    "create table t (a Int64, b String, file String, url String) engine = MergeTree order by a",
    "insert into t values (1, 'x', 'f', 'u'), (2, 'y', 'g', 'v')",
  );
  await writer.close();
  reader = await openWith(clickhouse, config);
}, 60_000);
afterAll(async () => {
  await reader?.close();
  await chDb?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function toldBy(statement: string): Promise<{ told: string; error: unknown }> {
  try {
    return { told: JSON.stringify(await ask(reader, statement)), error: null };
  } catch (error) {
    return { told: error instanceof AppError ? JSON.stringify([error.message, error.details]) : String(error), error };
  }
}

describe("ClickHouse's own engine", () => {
  test("returns fields, rows and values through the driver", async (context) => {
    if (!chDb) return context.skip();
    const types =
      "select 1 as i, toInt64(9007199254740993) as l, 1.5 as f, 'é' as s, NULL as n, [1, 2] as a, today() = today() as b";
    const { fields, rows } = await ask(reader, types);
    expect(fields.map(({ name, type }) => [name, type])).toEqual([
      ["i", "int32"],
      ["l", "int64"],
      ["f", "float64"],
      ["s", "string"],
      ["n", "string"],
      ["a", "array"],
      ["b", "int32"],
    ]);
    expect(rows).toEqual([[1, "9007199254740993", 1.5, "é", null, [1, 2], 1]]);
    expect((await ask(reader, "select a, b from t order by a")).rows).toEqual([
      [1, "x"],
      [2, "y"],
    ]);
    const names = (await reader.entities(new AbortController().signal)).map(({ name, columns }) => [
      name,
      columns?.length,
    ]);
    expect(names).toEqual([["t", 4]]);
    await expect(ask(reader, "select nothing from t")).rejects.toMatchObject({ kind: "query_failed" });
  });

  test("the canary file is readable without the guard", async (context) => {
    if (!chDb) return context.skip();
    const answer = await chDb.ask(`select file('${file}')`, { format: "TSV", settings: { readonly: "1" } });
    expect(answer.body).toContain(CANARY);
  });

  test(`T50 T40 rejects ${NOT_ALLOWED.length + WRITES.length} statements, and nothing changes`, async (context) => {
    if (!chDb) return context.skip();
    const passed: string[] = [];
    for (const statement of [...NOT_ALLOWED, ...WRITES]) {
      const { told, error } = await toldBy(statement.replaceAll("/etc/hostname", file));
      if (!(error instanceof AppError) || !REFUSALS.has(error.kind) || told.includes(CANARY)) passed.push(statement);
    }
    expect(passed).toEqual([]);
    expect((await ask(reader, "select count() from t")).rows).toEqual([[2]]);
  });

  test("T50 writes nothing and changes no setting even without our guard", async (context) => {
    if (!chDb) return context.skip();
    const settings = { readonly: "1" };
    for (const statement of WRITES.filter((each) => !/format/i.test(each))) {
      expect([statement, (await chDb.ask(statement, { format: "TSV", settings })).ok]).toEqual([statement, false]);
    }
    expect((await chDb.ask("select 1 settings max_threads = 1", { format: "TSV", settings })).ok).toBe(false);
  });

  test("runs read-only statements", async (context) => {
    if (!chDb) return context.skip();
    const failed: unknown[] = [];
    for (const statement of ALLOWED.filter((each) => !each.includes("dictGet"))) {
      const { error } = await toldBy(statement);
      if (error) failed.push([statement, String(error)]);
    }
    expect(failed).toEqual([]);
  });

  test("T50 reads a file in no spelling", async (context) => {
    if (!chDb) return context.skip();
    const quoted = `'${file}'`;
    const ways = [
      `file(${quoted})`, `file (${quoted})`, `file/**/(${quoted})`, `file -- \n (${quoted})`, `file # \n(${quoted})`, `\`file\`(${quoted})`, `"file"(${quoted})`,
      `"fi\\x6ce"(${quoted})`, `“file”(${quoted})`, `file(‘${file}’)`, `file($$${file}$$)`, `file($1$${file}$1$)`, `arrayMap(file, [${quoted}])`, `arrayMap((file), [${quoted}])`,
      `arrayMap(\`file\` as f, [${quoted}])`, `arrayMap(x -> file(x), [${quoted}])`, `(select * apply file from values('a String', ${quoted}))`,
      `(select b from values('a Int8, b String ALIAS file(\\'${file}\\')', 1))`, `(select b from generateRandom('a Int8, b String alias file(''${file}'')') limit 1)`,
      `(select b from generateRandom(concat('a Int8, b String alias file(''${file}'')')) limit 1)`,
    ]; // biome-ignore format: a list to be read at a glance
    const hides = [
      "", " ", "'", "''", "'\\'", "\\", '"', '"\\"', "`", "`\\`", "$$", "$$'$$", "$1$'$1$", "$1$", "$a$", "‘", "’", "‘'’", "“", "”", "“\"”", "/*", "*/", "/* /*", "/* ' */", "--",
      "-- '\n", "#", "# '\n", "#!'\n", "//", "// '\n", "x'\\'", "b'", "\n", "\r", "\u00a0", "\ufeff", "\u200b", "1", "1e", "a", "é", ", ", "{", "}", "e'\\''", "e'\\'", ";", "format", "settings",
    ]; // biome-ignore format: a list to be read at a glance
    let reached = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...hides), { maxLength: 4 }),
        fc.constantFrom(...ways),
        fc.array(fc.constantFrom(...hides), { maxLength: 4 }),
        fc.constantFrom("", " ", ", "),
        async (before, way, after, between) => {
          const text = `select ${before.join("")}${between}${way}${between}${after.join("")}`;
          const { told, error } = await toldBy(text);
          if (!(error instanceof AppError) || error.kind === "query_failed") reached += 1;
          expect([text, told.includes(CANARY)]).toEqual([text, false]);
        },
      ),
      { numRuns: RUNS },
    );
    // Some of the texts hid the call in a string or a comment, which the server reads as the guard does.
    expect(reached).toBeGreaterThan(0);
  }, 120_000);

  test("extracts rows for flows with exact cursors, ties and quoted names", async (context) => {
    if (!chDb) return context.skip();
    const flows = reader as FlowSource & QueryableSource;
    const stamps = ["2026-10-31T10:00:00.000001Z", "2026-10-31T10:00:00.000002Z", "2026-10-31T10:00:00.000002Z"];
    const columns = [
      field("id", "int64"),
      field('cur"sor', "timestamptz"),
      field("big", "int64"),
      field("word", "string"),
    ];
    const config = { host: "127.0.0.1", port: chDb.port, user: "default", password: "" };
    const writer = (await openWith(clickhouse, config, false)) as FlowSource & QueryableSource;
    const bigs = ["9007199254740993", "9007199254740994", "9223372036854775807"];
    const rows = stamps.map((stamp, id): WireValue[] => [id, stamp, bigs[id] ?? null, ["B", "a", "a "][id] ?? null]);
    await loadRows(writer, { table: { name: "fl`ow" }, columns, primaryKey: ["id"] }, rows);
    await writer.close();
    for (const cursorField of ['cur"sor', "big", "word"]) {
      const request = { entity: { name: "fl`ow" }, cursorField, primaryKey: ["id"], batchRows: 1 };
      const found: WireValue[] = [];
      let from: Checkpoint | null = null;
      for (
        let next = await read(flows, request, 1);
        next.rows.length > 0;
        next = await read(flows, { ...request, from }, 1)
      ) {
        found.push(next.rows[0]?.[0] ?? null);
        from = next.batches[0]?.checkpoint ?? null;
      }
      expect(found, cursorField).toEqual([0, 1, 2]);
    }
  });
});

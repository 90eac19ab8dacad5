import { afterAll, describe, expect, it } from "vitest";
import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import { parquet } from "@/lib/features/query/serialize/parquet";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { childrenOf } from "@/test/servers/millrace";
import { QueryBatcher } from "./query-batcher";
import { type AggregateSpec, aggregateSpec, type Condition } from "./spec";
import { type TableField, toAggregateStatement } from "./statement";
import { followKept, type Kept, queryTables } from "./tables";

afterAll(() => closeServerMember("crossfilterTables"));
const ANY = new AbortController().signal;

/** Returns whether a process is alive. The process that lists the children is one itself, and has ended. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Stores a result as the product does: Parquet by our own writer. */
function keep(id: string, fields: Field[], rows: WireValue[][]): Kept & { reads: number } {
  const kept = {
    id,
    fields,
    rowCount: rows.length,
    reads: 0,
    read: async function* () {
      kept.reads += 1;
      const batch: Batch = {
        rowCount: rows.length,
        columns: fields.map((_, index) => rows.map((row) => row[index] ?? null)),
      };
      const batches = async function* () {
        yield batch;
      };
      yield* parquet(fields).pipe(batches());
    },
  };
  return kept;
}

const ask = (kept: Kept, spec: Partial<Record<keyof AggregateSpec, unknown>>, zone = "UTC", signal = ANY) =>
  queryTables(
    kept,
    zone,
    (table, fields) => toAggregateStatement(table, fields, aggregateSpec.parse(spec), []),
    signal,
  );

const SALES: Field[] = [
  { name: "amount", type: "decimal", dbType: "numeric" },
  { name: "at", type: "timestamptz", dbType: "timestamptz" },
  { name: "region", type: "string", dbType: "text" },
];
const ROWS: WireValue[][] = [
  ["10.5", "2026-03-31T23:30:00Z", "north"],
  ["0.25", "2026-03-01T00:00:00Z", "south"],
  ["-3", "2026-04-02T00:00:00Z", "north"],
  [null, null, null],
];
const BY_REGION = { dimensions: ["region"], measures: [{ field: "amount", op: "sum", as: "sum" }] };

describe("a stored result", () => {
  it("is summed exactly, unbounded decimals too, and read once for concurrent queries", async () => {
    const kept = keep("a1", SALES, ROWS);
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(kept, BY_REGION)));
    for (const { rows, isMore } of answers) {
      expect(rows).toEqual([
        ["north", "7.50"],
        ["south", "0.25"],
        [null, null],
      ]);
      expect(isMore).toBe(false);
    }
    expect(kept.reads).toBe(1);
  });

  it("has months of each time zone in use", async () => {
    const kept = keep("a2", SALES, ROWS);
    const spec = { dimensions: [{ field: "at", timeUnit: "month" }], measures: [{ op: "count" }] };
    expect((await ask(kept, spec)).rows).toEqual([
      ["2026-03-01", 2],
      ["2026-04-01", 1],
      [null, 1],
    ]);
    expect((await ask(kept, spec, "Europe/Berlin")).rows).toEqual([
      ["2026-03-01", 1],
      ["2026-04-01", 2],
      [null, 1],
    ]);
    expect((await ask(kept, spec, "America/New_York")).rows[0]).toEqual(["2026-02-01", 1]);
  });

  it("keeps decimals that no type holds as text, and reports that they have no sum", async () => {
    const wide = keep("a3", SALES.slice(0, 1), [["1".repeat(38)], ["0.5"], ["NaN"]]);
    await expect(ask(wide, { measures: [{ field: "amount", op: "sum" }] })).rejects.toThrow(
      /amount \(numeric\) holds “NaN”, which is not a number/,
    );
    expect((await ask(wide, { dimensions: ["amount"] })).rows).toHaveLength(3);
  });

  it("reports more rows than requested", async () => {
    const kept = keep("a4", SALES, ROWS);
    const answer = await ask(kept, { limit: 2 });
    expect(answer.rows).toHaveLength(2);
    expect(answer.isMore).toBe(true);
    expect(answer.fields.map(({ name }) => name)).toEqual(["amount", "at", "region"]);
  });

  it("without rows or columns is a valid result", async () => {
    expect((await ask(keep("a5", SALES, []), { measures: [{ op: "count" }] })).rows).toEqual([[0]]);
  });

  it("of a million rows and two hundred columns is rejected before reading, with advice", async () => {
    const wide = Array.from({ length: 200 }, (_, n): Field => ({ name: `c${n}`, type: "int64", dbType: "bigint" }));
    const kept = Object.assign(keep("a7", wide, []), { rowCount: 1_000_000 });
    await expect(ask(kept, { measures: [{ op: "count" }] })).rejects.toMatchObject({
      kind: "too_large",
      message: expect.stringContaining("Select fewer columns or rows."),
    });
    expect(kept.reads).toBe(0);
  });

  it("that can't be read is not cached: the next query reads it again", async () => {
    const kept = keep("a6", SALES, ROWS);
    const broken: Kept = {
      ...kept,
      read: async function* () {
        yield new TextEncoder().encode("no Parquet");
      },
    };
    await expect(ask(broken, BY_REGION)).rejects.toThrow();
    expect((await ask(kept, BY_REGION)).rows).toHaveLength(3);
  });
});

describe("the engine", () => {
  it("can be killed: the next new query restarts it and reads again", async () => {
    const kept = keep("b1", SALES, ROWS);
    await ask(kept, BY_REGION);
    for (const child of childrenOf(process.pid).filter(isThere)) process.kill(child, "SIGKILL");
    expect((await ask(kept, BY_REGION)).rows).toHaveLength(3);
    expect(kept.reads).toBe(1);
    // A cached query needs no engine, and a killed engine still responds for a moment: so each query is new.
    let limit = 100;
    await expect
      .poll(
        () =>
          ask(kept, { dimensions: ["region"], limit: limit++ }).then(
            ({ rows }) => [rows.length, kept.reads],
            () => null,
          ),
        { timeout: 20_000 },
      )
      .toEqual([3, 2]);
  });

  it("reads only the given files", async () => {
    const kept = keep("b2", SALES, ROWS);
    await ask(kept, BY_REGION);
    const peek = (sql: string) =>
      queryTables(kept, "UTC", () => ({ sql, values: [], fields: [], finish: [], limit: 1 }), ANY);
    for (const sql of [
      "select * from read_text('/etc/passwd')",
      "select * from read_text('../../../package.json')",
      "copy (select 1) to '/tmp/stolen.csv'",
      "install httpfs",
      "set enable_external_access = true",
    ]) {
      await expect(peek(sql), sql).rejects.toThrow();
    }
  });

  it("stops when its caller leaves", async () => {
    const kept = keep("b3", SALES, ROWS);
    await ask(kept, BY_REGION);
    const left = new AbortController();
    const slow = queryTables(
      kept,
      "UTC",
      (table) => ({
        sql: `select count(*) from ${table}, range(100000000000)`,
        values: [],
        fields: [],
        finish: [],
        limit: 1,
      }),
      left.signal,
    );
    setTimeout(() => left.abort(new Error("left")), 50);
    await expect(slow).rejects.toThrow();
    expect((await ask(kept, BY_REGION)).rows).toHaveLength(3);
  });
});

describe("groupings of one page", () => {
  const fields: Field[] = [
    { name: "n", type: "int64", dbType: "bigint" },
    { name: "price", type: "decimal", dbType: "numeric(10,2)" },
    { name: "weight", type: "float64", dbType: "double precision" },
    { name: "kind", type: "string", dbType: "text" },
    { name: "at", type: "timestamptz", dbType: "timestamptz" },
  ];
  const rows = Array.from({ length: 5000 }, (_, i): WireValue[] => {
    const at = new Date(Date.UTC(2026, 2, 1) + i * 7_919_000).toISOString();
    return [
      i % 97,
      i % 13 === 0 ? null : `${(i * 37) % 1000}.${10 + (i % 90)}`,
      (i % 31) / 10,
      i % 7 === 0 ? null : `k${i % 11}`,
      at,
    ];
  });
  const SPECS = [
    { measures: [{ op: "count" }, { field: "price", op: "avg", as: "mean" }] },
    {
      dimensions: ["kind"],
      measures: [{ field: "weight", op: "sum" }],
      sort: [{ by: "sum_weight", order: "desc" }],
      limit: 4,
    },
    {
      dimensions: [{ field: "at", timeUnit: "week" }],
      measures: [
        { field: "price", op: "max" },
        { field: "n", op: "sum" },
      ],
    },
    { dimensions: ["kind", "n"], measures: [{ field: "weight", op: "avg" }], limit: 300 },
    { dimensions: ["n"] },
  ].map((spec) => aggregateSpec.parse(spec));
  const CONDITIONS: Condition[][] = [
    [{ field: "kind", kind: "oneOf", values: ["k1", "k2", null] }],
    [
      { field: "at", kind: "days", from: "2026-03-29", to: "2026-10-25" },
      { field: "n", kind: "between", from: 3, to: 80 },
    ],
    [{ field: "kind", kind: "oneOf", values: ["nobody has this"] }],
  ];

  it("return together what each returns alone, in order and limits", async () => {
    const kept = keep("together", fields, rows);
    for (const conditions of CONDITIONS) {
      const asker = new QueryBatcher("Europe/Berlin", ANY);
      const together = await Promise.all(SPECS.map((spec) => asker.ask(kept, spec, conditions)));
      for (const [index, spec] of SPECS.entries()) {
        const build = (table: string, columns: readonly TableField[]) =>
          toAggregateStatement(table, columns, spec, conditions);
        expect(together[index]).toEqual(await queryTables(kept, "Europe/Berlin", build, ANY));
      }
    }
  });

  it("fail separately: a missing column affects one only", async () => {
    const kept = keep("gone column", fields, rows);
    const asker = new QueryBatcher("UTC", ANY);
    const [, bad] = SPECS;
    const gone = aggregateSpec.parse({ dimensions: ["vanished"], measures: [{ op: "count" }] });
    const [good, failed] = await Promise.allSettled(
      [bad, gone].map((spec) => asker.ask(kept, spec ?? gone, CONDITIONS[1] ?? [])),
    );
    expect(good).toMatchObject({ status: "fulfilled", value: { isMore: true } });
    expect(failed).toMatchObject({
      status: "rejected",
      reason: { kind: "invalid_request", message: /Unknown column vanished/ },
    });
  });

  it("are recomputed from recent queries when rows change", async () => {
    const [before, after] = [keep("before", SALES, ROWS), keep("after", SALES, ROWS)];
    await ask(before, BY_REGION, "Europe/Paris");
    await followKept(before.id, after);
    expect(after.reads).toBe(1);
    await ask(after, BY_REGION, "Europe/Paris");
    expect(after.reads).toBe(1);
    await followKept("nobody asks these", keep("unasked", SALES, ROWS));
  });
});

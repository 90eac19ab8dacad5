// @module-tag heavy
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import { turnsOf } from "@/test/processor-time";
import { byteStream } from "./byte-stream";
import { csv } from "./csv";
import { jsonAnswer, jsonFields, readJsonRows } from "./json";
import { ndjson } from "./ndjson";

const MANY = { rows: 1000, bytes: 1_000_000, cellBytes: 100_000 };

function fieldsOf(...names: string[]): Field[] {
  return names.map((name) => ({ name, type: "string", dbType: "VARCHAR" }));
}

function batchOf(...rows: WireValue[][]): Batch {
  return { rowCount: rows.length, columns: (rows[0] ?? []).map((_, index) => rows.map((row) => row[index] ?? null)) };
}

async function* iterate(...batches: Batch[]): AsyncGenerator<Batch> {
  yield* batches;
}

async function streamed(format: typeof csv, fields: Field[], batches: Batch[], limit: number | null = null) {
  return text(byteStream(iterate(...batches), format(fields), limit, () => {}));
}

describe("CSV", () => {
  it("follows RFC 4180: header, CRLF, doubled quotes, and quotes only where needed", async () => {
    const batch = batchOf(["plain", 'say "hi"', "a,b"], ["two\nlines", "", null]);
    expect(await streamed(csv, fieldsOf("a", "b,c", "d"), [batch])).toBe(
      'a,"b,c",d\r\nplain,"say ""hi""","a,b"\r\n"two\nlines","",\r\n',
    );
  });

  it("is exact: formulas are kept, nested values are JSON", async () => {
    const batch = batchOf(["=1+1", { a: [1, null] }, -0.5]);
    expect(await streamed(csv, fieldsOf("x", "y", "z"), [batch])).toBe('x,y,z\r\n=1+1,"{""a"":[1,null]}",-0.5\r\n');
  });

  it("has a header without rows", async () => {
    expect(await streamed(csv, fieldsOf("x"), [])).toBe("x\r\n");
  });
});

describe("NDJSON", () => {
  it("has one plain object per line, the last line terminated, in column order", async () => {
    const batches = [batchOf(["x", 1]), batchOf([null, true])];
    expect(await streamed(ndjson, fieldsOf("2", "1"), batches)).toBe('{"2":"x","1":1}\n{"2":null,"1":true}\n');
  });

  it("keeps a column named __proto__", async () => {
    const line = await streamed(ndjson, fieldsOf("__proto__"), [batchOf(["kept"])]);
    expect(Object.entries(JSON.parse(line))).toEqual([["__proto__", "kept"]]);
  });

  it("stops at a given limit", async () => {
    expect(await streamed(ndjson, fieldsOf("a"), [batchOf([1], [2], [3])], 2)).toBe('{"a":1}\n{"a":2}\n');
  });
});

describe("a stream of bytes", () => {
  it("requests no batch without room", async () => {
    let asked = 0;
    async function* endless(): AsyncGenerator<Batch> {
      for (;;) {
        asked += 1;
        yield batchOf(["x".repeat(100_000)]);
      }
    }
    const reader = byteStream(endless(), ndjson(fieldsOf("a")), null, () => {}).getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 50));
    // 256 KiB are prepared ahead: three batches of 100 kB, and the one that was read.
    expect(asked).toBeLessThanOrEqual(5);
    await reader.cancel();
  });

  it("breaks when the result fails, after the earlier rows", async () => {
    async function* failing(): AsyncGenerator<Batch> {
      yield batchOf(["x"]);
      throw new Error("boom");
    }
    const endings: unknown[] = [];
    const stream = byteStream(failing(), ndjson(fieldsOf("a")), null, (ending) => endings.push(ending));
    const reader = stream.getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('{"a":"x"}\n');
    await expect(reader.read()).rejects.toThrow("boom");
    expect(endings).toEqual([{ rowCount: 1, error: new Error("boom") }]);
  });

  it("reports once that its reader has left, and ends the result", async () => {
    let isLeft = false;
    async function* watched(): AsyncGenerator<Batch> {
      try {
        for (;;) yield batchOf(["x".repeat(100_000)]);
      } finally {
        isLeft = true;
      }
    }
    const endings: unknown[] = [];
    const reader = byteStream(watched(), ndjson(fieldsOf("a")), null, (ending) => endings.push(ending)).getReader();
    await reader.read();
    await reader.cancel();
    expect(isLeft).toBe(true);
    expect(endings).toHaveLength(1);
  });
});

describe("a JSON answer", () => {
  const read = (batches: Batch[], limits: Partial<Parameters<typeof readJsonRows>[1]> = {}) =>
    readJsonRows({ fields: fieldsOf("a"), batches: iterate(...batches) }, { ...MANY, ...limits });

  it("waits once before it grows beyond a small one, with rows of any size", async () => {
    const calls: number[] = [];
    const room = { rows: 10_000, bytes: 64_000_000, cellBytes: 16_000_000 };
    const whenLarge = async () => void calls.push(1);
    await read([batchOf(...Array.from({ length: 3 }, () => ["x".repeat(1_000_000)]))], { ...room, whenLarge });
    expect(calls).toEqual([]);
    for (const length of [1_000, 3_000_000]) {
      const rows = Array.from({ length: 8_000_000 / length }, () => ["x".repeat(length)]);
      await read([batchOf(...rows)], { ...room, whenLarge });
      expect(calls.splice(0)).toEqual([1]);
    }
    const refuses = () => Promise.reject(new Error("stopped"));
    await expect(read([batchOf(["x".repeat(9_000_000)])], { ...room, whenLarge: refuses })).rejects.toThrow("stopped");
  });

  it("is the envelope of the API", async () => {
    const rows = await read([batchOf(["é"], [null])]);
    const facts = { executionId: "e", affectedRows: 3, durationMs: 2, databaseMs: 1 };
    const fields = fieldsOf("a");
    const result = { fields, rows: [{ a: "é" }, { a: null }], rowCount: 2, truncated: false };
    const parse = (...more: (typeof rows)[]) =>
      JSON.parse(
        Buffer.concat(
          jsonAnswer(
            { ...rows, fields: jsonFields(fields) },
            more.map((each) => ({ ...each, fields: jsonFields(fields) })),
            { ...facts, resultsOmitted: 0 },
          ),
        ).toString(),
      );
    expect(parse()).toEqual({ success: true, data: { ...facts, ...result, moreResults: [] } });
    const further = { ...result, affectedRows: null };
    expect(parse(rows, rows)).toEqual({
      success: true,
      data: { ...facts, ...result, moreResults: [further, further] },
    });
  });

  it("is truncated only if there is more than the limit", async () => {
    const three = [batchOf(["x"], ["y"]), batchOf(["z"])];
    expect(await read(three, { rows: 3 })).toMatchObject({ rowCount: 3, truncated: false });
    expect(await read(three, { rows: 2 })).toMatchObject({ rowCount: 2, truncated: true });
  });

  it("ends before a row that would make it too large", async () => {
    // A row is {"a":"xxxxxxxxxx"}, 18 bytes, and a comma from the second on.
    const rows = Array.from({ length: 5 }, () => ["x".repeat(10)]);
    expect(await read([batchOf(...rows)], { bytes: 18 + 19 + 18 })).toMatchObject({ rowCount: 2, truncated: true });
  });

  it("ends before a row with a cell that is too large, in bytes", async () => {
    const batch = batchOf(["é".repeat(10)], ["é".repeat(11)]);
    expect(await read([batch], { cellBytes: 20 })).toMatchObject({ rowCount: 1, truncated: true });
    expect(await read([{ rowCount: 0, columns: [], isCut: true }])).toMatchObject({ rowCount: 0, truncated: true });
  });
});

describe("a row with large cells", () => {
  const LARGE = 300_000;
  // Odd by one, so that surrogate pairs cross the ends of slices; lone surrogates stay unchanged.
  const cells = ['"'.repeat(LARGE), `x${"😀".repeat(LARGE)}`, `${"\ud83d".repeat(LARGE)}\n`, "y,".repeat(LARGE)];
  const fields = fieldsOf("a", "b", "c", "d", "e");
  const batch = batchOf([...cells, 1], ["small", null, "", true, 2]);
  const rows = [
    { a: cells[0], b: cells[1], c: cells[2], d: cells[3], e: 1 },
    { a: "small", b: null, c: "", d: true, e: 2 },
  ];

  it("is written as if in one piece", async () => {
    expect(await streamed(ndjson, fields, [batch])).toBe(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
    // UTF-8 has no lone surrogates.
    const [a = "", b = "", c = "", d = ""] = cells.map((cell) => cell.toWellFormed());
    const lines = ["a,b,c,d,e", `${quoted(a)},${b},${quoted(c)},${quoted(d)},1`, 'small,,"",true,2', ""];
    expect(await streamed(csv, fields, [batch])).toBe(lines.join("\r\n"));
    const json = await readJsonRows(
      { fields, batches: iterate(batch) },
      { rows: 10, bytes: 10_000_000, cellBytes: 5_000_000 },
    );
    expect(JSON.parse(`[${Buffer.concat(json.chunks).toString()}]`)).toEqual(rows);
    expect([json.rowCount, json.truncated]).toEqual([2, false]);
  });

  it.each([
    ["CSV", csv],
    ["NDJSON", ndjson],
  ])("C2 of lists and objects is written as %s within 50 ms of processor time a piece", async (_, format) => {
    const list = Array.from({ length: 150_000 }, (__, index) => `item "${index}"`);
    const object = { list, n: 1 };
    const { pieces } = format(fieldsOf("a", "b"));
    let text = "";
    const turns = await turnsOf(async (rest) => {
      for (const piece of pieces(batchOf([list, object]), 0)) {
        text += piece;
        await rest();
      }
    });
    expect(turns.length).toBeGreaterThan(20);
    expect(turns[3] ?? 0).toBeLessThan(50);
    const [a, b] = [list, object].map((value) => JSON.stringify(value));
    const quoted = (json = "") => `"${json.replaceAll('"', '""')}"`;
    expect(text === (format === csv ? `${quoted(a)},${quoted(b)}\r\n` : `{"a":${a},"b":${b}}\n`)).toBe(true);
  });

  it("leaves nothing partial if the response ends before it", async () => {
    const json = await readJsonRows(
      { fields, batches: iterate(batchOf(["small", null, "", true, 0]), batch) },
      { rows: 10, bytes: 1_000_000, cellBytes: 5_000_000 },
    );
    expect(JSON.parse(`[${Buffer.concat(json.chunks).toString()}]`)).toEqual([{ ...rows[1], e: 0 }]);
    expect([json.rowCount, json.truncated]).toEqual([1, true]);
  });

  it.each([
    ["CSV", csv],
    ["NDJSON", ndjson],
  ])("of 16 MiB of quotes yields the event loop as %s (F15)", async (_, format) => {
    const huge = batchOf(['"'.repeat(16 * 1024 * 1024)]);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    for await (const chunk of byteStream(iterate(huge), format(fieldsOf("a")), null, () => {})) void chunk;
    isOver = true;
    // In one piece there would be only a few.
    expect(turns).toBeGreaterThan(4);
  });
});

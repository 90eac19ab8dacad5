import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { Batch, Field, WireValue } from "@/lib/tabular/fields";
import { byteStream } from "./byte-stream";
import { csv } from "./csv";
import { jsonAnswer, readJsonRows } from "./json";
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
  it("is RFC 4180: header, CRLF, quotes doubled, and quotes only where they are needed", async () => {
    const batch = batchOf(["plain", 'say "hi"', "a,b"], ["two\nlines", "", null]);
    expect(await streamed(csv, fieldsOf("a", "b,c", "d"), [batch])).toBe(
      'a,"b,c",d\r\nplain,"say ""hi""","a,b"\r\n"two\nlines","",\r\n',
    );
  });

  it("is exact: a formula stays a formula, nested values are JSON", async () => {
    const batch = batchOf(["=1+1", { a: [1, null] }, -0.5]);
    expect(await streamed(csv, fieldsOf("x", "y", "z"), [batch])).toBe('x,y,z\r\n=1+1,"{""a"":[1,null]}",-0.5\r\n');
  });

  it("has a header also when there are no rows", async () => {
    expect(await streamed(csv, fieldsOf("x"), [])).toBe("x\r\n");
  });
});

describe("NDJSON", () => {
  it("is one plain object a line, the last line ended too, in the order of the columns", async () => {
    const batches = [batchOf(["x", 1]), batchOf([null, true])];
    expect(await streamed(ndjson, fieldsOf("2", "1"), batches)).toBe('{"2":"x","1":1}\n{"2":null,"1":true}\n');
  });

  it("keeps a column called __proto__", async () => {
    const line = await streamed(ndjson, fieldsOf("__proto__"), [batchOf(["kept"])]);
    expect(Object.entries(JSON.parse(line))).toEqual([["__proto__", "kept"]]);
  });

  it("stops at a limit that was sent", async () => {
    expect(await streamed(ndjson, fieldsOf("a"), [batchOf([1], [2], [3])], 2)).toBe('{"a":1}\n{"a":2}\n');
  });
});

describe("a stream of bytes", () => {
  it("asks for no batch that its reader has no room for", async () => {
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
    // 256 KiB are made ready ahead: three batches of 100 kB, and the one that was read.
    expect(asked).toBeLessThanOrEqual(5);
    await reader.cancel();
  });

  it("breaks when the result fails, after the rows that came before", async () => {
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

  it("tells once that its reader has left, and leaves the result", async () => {
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
  const read = (batches: Batch[], limits: Partial<typeof MANY> = {}) =>
    readJsonRows({ fields: fieldsOf("a"), batches: iterate(...batches) }, { ...MANY, ...limits });

  it("is the envelope of the API", async () => {
    const rows = await read([batchOf(["é"], [null])]);
    const facts = { executionId: "e", fields: fieldsOf("a"), durationMs: 2, databaseMs: 1 };
    expect(JSON.parse(Buffer.concat(jsonAnswer(rows, facts)).toString())).toEqual({
      success: true,
      data: { ...facts, rows: [{ a: "é" }, { a: null }], rowCount: 2, truncated: false },
    });
  });

  it("is cut only when there is more than the limit", async () => {
    const three = [batchOf(["x"], ["y"]), batchOf(["z"])];
    expect(await read(three, { rows: 3 })).toMatchObject({ rowCount: 3, truncated: false });
    expect(await read(three, { rows: 2 })).toMatchObject({ rowCount: 2, truncated: true });
  });

  it("ends before the row that would make it too large", async () => {
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

import { tableFromIPC } from "apache-arrow";
import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it } from "vitest";
import type { Batch, Field } from "@/lib/base/values/fields";
import { takeOwnDatabase } from "@/test/database";
import { collections } from "./collections";
import { dropResults, keepResult, openResult, previewResults } from "./service";

const own = takeOwnDatabase();
afterAll(() => own.drop());

const FIELDS: Field[] = [
  { name: "n", type: "int64", dbType: "bigint" },
  { name: "$text.a", type: "string", dbType: "text" },
];
const LIMITS = { rows: 10_000, bytes: 16 * 1024 * 1024, ms: 60_000 };
const workspaceId = new ObjectId();

async function* rowsOf(count: number, batchRows: number, text = (n: number) => `row ${n}`): AsyncGenerator<Batch> {
  for (let start = 0; start < count; start += batchRows) {
    const numbers = Array.from({ length: Math.min(batchRows, count - start) }, (_, i) => start + i);
    yield { rowCount: numbers.length, columns: [numbers, numbers.map(text)] };
  }
}
const read = async (resultId: ObjectId) => {
  const { parts, preview } = await openResult(workspaceId, resultId);
  const read: Uint8Array[] = [];
  for await (const part of parts) read.push(part);
  const table = tableFromIPC(Buffer.concat(read));
  return { preview, texts: [...(table.getChild("$text.a") ?? [])] as string[] };
};

describe("a stored result", () => {
  it("is returned whole, with the same start", async () => {
    const { resultId, rowCount } = await keepResult(
      workspaceId,
      { fields: FIELDS, batches: rowsOf(2500, 1000) },
      LIMITS,
    );
    expect(rowCount).toBe(2500);
    const { preview, texts } = await read(resultId);
    expect(texts).toEqual(Array.from({ length: 2500 }, (_, n) => `row ${n}`));
    expect(preview).toMatchObject({ fields: FIELDS, rowCount: 2500, keptRows: 2500 });
    expect(preview.rows).toHaveLength(20);
    expect(preview.rows[3]).toEqual({ n: 3, "$text.a": "row 3" });
    expect((await previewResults(workspaceId, [resultId, new ObjectId()])).get(resultId.toHexString())).toEqual(
      preview,
    );
  });

  it("without rows has its fields", async () => {
    const { resultId } = await keepResult(workspaceId, { fields: FIELDS, batches: rowsOf(0, 1) }, LIMITS);
    const { preview, texts } = await read(resultId);
    expect(texts).toEqual([]);
    expect(preview).toMatchObject({ fields: FIELDS, rows: [], rowCount: 0, keptRows: 0 });
  });

  it("counts all rows and keeps the first, by number and size", async () => {
    const byNumber = await keepResult(
      workspaceId,
      { fields: FIELDS, batches: rowsOf(5000, 300) },
      { ...LIMITS, rows: 1000 },
    );
    expect(byNumber.rowCount).toBe(5000);
    expect((await read(byNumber.resultId)).texts).toHaveLength(1000);
    const large = rowsOf(100, 10, () => "x".repeat(100_000));
    const bySize = await keepResult(workspaceId, { fields: FIELDS, batches: large }, { ...LIMITS, bytes: 4_500_000 });
    const kept = await read(bySize.resultId);
    expect(bySize.rowCount).toBe(100);
    expect(kept.texts).toHaveLength(40);
    expect(kept.preview.keptRows).toBe(40);
    expect(String(kept.preview.rows[0]?.["$text.a"])).toHaveLength(201);
  });

  it("leaves nothing after a failure", async () => {
    async function* failing() {
      yield* rowsOf(200, 10, () => "x".repeat(100_000));
      throw new Error("gone");
    }
    const before = await collections.resultChunks().countDocuments({ workspaceId });
    await expect(keepResult(workspaceId, { fields: FIELDS, batches: failing() }, LIMITS)).rejects.toThrow("gone");
    expect(await collections.resultChunks().countDocuments({ workspaceId })).toBe(before);
  });

  it("belongs to its workspace, and is deleted when dropped", async () => {
    const { resultId } = await keepResult(workspaceId, { fields: FIELDS, batches: rowsOf(5, 5) }, LIMITS);
    const elsewhere = new ObjectId();
    await dropResults(elsewhere, [resultId]);
    await expect(openResult(elsewhere, resultId)).rejects.toMatchObject({ kind: "not_found" });
    expect((await read(resultId)).texts).toHaveLength(5);
    await dropResults(workspaceId, [resultId]);
    await expect(openResult(workspaceId, resultId)).rejects.toMatchObject({ kind: "not_found" });
    expect(await collections.resultChunks().countDocuments({ workspaceId, resultId })).toBe(0);
  });
});

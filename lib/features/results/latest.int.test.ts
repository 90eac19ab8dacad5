import { randomBytes } from "node:crypto";
import { ObjectId } from "mongodb";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Batch, Field } from "@/lib/base/values/fields";
import { takeOwnDatabase } from "@/test/database";
import { collections } from "./collections";
import { FirstRows, keepSoon, keptNow } from "./first-rows";
import { dropLatest, keepLatest, type LatestLimits, type NewLatest, readLatest } from "./latest";
import type { ResultOwner } from "./model";

const own = takeOwnDatabase();
afterAll(() => own.drop());

const FIELDS: Field[] = [
  { name: "n", type: "int64", dbType: "bigint" },
  { name: "$text.a", type: "string", dbType: "text" },
];
const LIMITS: LatestLimits = { rows: 10_000, bytes: 8 * 1024 * 1024, workspaceBytes: 1024 * 1024 * 1024 };
const START = Date.parse("2026-05-01T00:00:00Z");
const userId = new ObjectId();

const ownerIn = (workspaceId = new ObjectId()): ResultOwner => ({ workspaceId, kind: "console", id: new ObjectId() });
function batchesOf(count: number, batchRows: number, text = (n: number) => `row ${n}`): Batch[] {
  return Array.from({ length: Math.ceil(count / batchRows) }, (_, index) => {
    const start = index * batchRows;
    const numbers = Array.from({ length: Math.min(batchRows, count - start) }, (_, i) => start + i);
    return { rowCount: numbers.length, columns: [numbers, numbers.map(text)] };
  });
}
const resultOf = (batches: Batch[], second = 0): NewLatest => ({
  fields: FIELDS,
  batches,
  rowCount: batches.reduce((sum, { rowCount }) => sum + rowCount, 0),
  truncated: false,
  userId,
  at: new Date(START + second * 1000),
  durationMs: 12.5,
  facts: '{"of":"the owner"}',
});
const rowsOf = async (owner: ResultOwner) => {
  const latest = await readLatest(owner);
  return latest && (JSON.parse(`[${latest.rows}]`) as Record<string, unknown>[]);
};
const chunksIn = ({ workspaceId }: ResultOwner) => collections.resultChunks().countDocuments({ workspaceId });

describe("an owner's latest result", () => {
  it("is returned whole, with author and time", async () => {
    const owner = ownerIn();
    expect(await readLatest(owner)).toBeNull();
    await keepLatest(owner, resultOf(batchesOf(2500, 1000)));
    const { rows, ...facts } = (await readLatest(owner)) ?? { rows: Buffer.from("") };
    expect(JSON.parse(`[${rows}]`)).toEqual(Array.from({ length: 2500 }, (_, n) => ({ n, "$text.a": `row ${n}` })));
    expect(facts).toEqual({
      fields: FIELDS,
      rowCount: 2500,
      keptRows: 2500,
      bytes: rows.length,
      truncated: false,
      userId,
      at: new Date(START),
      durationMs: 12.5,
      facts: '{"of":"the owner"}',
    });
  });

  it("has its fields without rows too", async () => {
    const owner = ownerIn();
    await keepLatest(owner, resultOf([]));
    expect(await readLatest(owner)).toMatchObject({ fields: FIELDS, rowCount: 0, keptRows: 0 });
    expect(await rowsOf(owner)).toEqual([]);
  });

  it("keeps the first rows, by number and size", async () => {
    const owner = ownerIn();
    await keepLatest(owner, resultOf(batchesOf(5000, 300)), { ...LIMITS, rows: 1000 });
    expect(await readLatest(owner)).toMatchObject({ rowCount: 5000, keptRows: 1000 });
    expect((await rowsOf(owner))?.at(-1)).toEqual({ n: 999, "$text.a": "row 999" });
    await keepLatest(
      owner,
      resultOf(
        batchesOf(50, 20, () => "x".repeat(1000)),
        1,
      ),
      { ...LIMITS, bytes: 10_300 },
    );
    expect(await readLatest(owner)).toMatchObject({ rowCount: 50, keptRows: 10 });
  });

  it("replaces the previous one completely", async () => {
    const owner = ownerIn();
    for (let second = 0; second < 3; second += 1) await keepLatest(owner, resultOf(batchesOf(second + 1, 10), second));
    expect(await rowsOf(owner)).toHaveLength(3);
    expect(await collections.results().countDocuments({ workspaceId: owner.workspaceId })).toBe(1);
    expect(await chunksIn(owner)).toBe(1);
  });

  it("is the one that started later, however late the earlier one ends; also of many at once", async () => {
    const owner = ownerIn();
    await keepLatest(owner, resultOf(batchesOf(7, 10), 9));
    await keepLatest(owner, resultOf(batchesOf(3, 10), 1));
    expect(await rowsOf(owner)).toHaveLength(7);
    const seconds = [15, 12, 19, 11, 18, 13];
    await Promise.all(seconds.map((second) => keepLatest(owner, resultOf(batchesOf(second, 10), second))));
    expect(await rowsOf(owner)).toHaveLength(19);
    expect(await chunksIn(owner)).toBe(1);
  });

  it("is read whole while others replace it", async () => {
    const owner = ownerIn();
    const text = (n: number) => randomBytes(600).toString("hex") + n;
    await keepLatest(owner, resultOf(batchesOf(2000, 500, text)));
    const writing = (async () => {
      for (let second = 1; second < 6; second += 1)
        await keepLatest(owner, resultOf(batchesOf(2000, 500, text), second));
    })();
    let reads = 0;
    for (let isOver = false; !isOver; reads += 1) {
      isOver = await Promise.race([writing.then(() => true), rowsOf(owner).then((rows) => rows?.length !== 2000)]);
    }
    expect(await rowsOf(owner)).toHaveLength(2000);
    await writing;
    expect(reads).toBeGreaterThan(0);
  });

  it("belongs to its workspace, and is deleted with its owner", async () => {
    const owner = ownerIn();
    await keepLatest(owner, resultOf(batchesOf(5, 5)));
    const elsewhere = { ...owner, workspaceId: new ObjectId() };
    expect(await readLatest(elsewhere)).toBeNull();
    await dropLatest(elsewhere);
    expect(await rowsOf(owner)).toHaveLength(5);
    await dropLatest(owner);
    expect(await readLatest(owner)).toBeNull();
    expect(await chunksIn(owner)).toBe(0);
  });

  it("is evicted when its workspace is full, oldest first, and others' stay", async () => {
    const workspaceId = new ObjectId();
    const owners = Array.from({ length: 6 }, () => ownerIn(workspaceId));
    const other = ownerIn();
    const limits = { ...LIMITS, workspaceBytes: 50_000 };
    const big = (second: number) =>
      resultOf(
        batchesOf(10, 10, () => randomBytes(600).toString("hex")),
        second,
      );
    await keepLatest(other, big(0), limits);
    // Some 6,500 bytes each, compressed: three fit into the limit, six exceed it.
    for (const [second, owner] of owners.entries())
      await keepLatest(owner, big(second), { ...limits, workspaceBytes: 22_000 });
    const kept = await Promise.all(owners.map(readLatest));
    expect(kept.map((each) => each !== null)).toEqual([false, false, false, true, true, true]);
    expect(await readLatest(other)).not.toBeNull();
  });
});

describe("the first rows of a result", () => {
  it("are stored soon, as far as read", async () => {
    const owner = ownerIn();
    const rows = new FirstRows();
    for (const batch of batchesOf(30, 10)) rows.take(batch);
    const kept = vi.fn();
    const { batches: _, ...result } = resultOf([]);
    keepSoon({ owner, rows, result: { ...result, rowCount: 25, truncated: true }, kept });
    expect(await readLatest(owner)).toBeNull();
    await keptNow();
    expect(await readLatest(owner)).toMatchObject({ rowCount: 25, keptRows: 25, truncated: true });
    expect(kept).toHaveBeenCalledTimes(1);
    expect(rows.batches).toEqual([]);
  });

  it("are the newest if several wait", async () => {
    const owner = ownerIn();
    const kept: number[] = [];
    for (const second of [1, 3, 2]) {
      const rows = new FirstRows();
      rows.take(batchesOf(second, 10)[0] as Batch);
      const { batches: _, ...result } = resultOf([], second);
      keepSoon({ owner, rows, result: { ...result, rowCount: second }, kept: () => void kept.push(second) });
    }
    await keptNow();
    expect(kept).toEqual([3]);
    expect(await rowsOf(owner)).toHaveLength(3);
  });

  it("stay within the limits, for any number of rows", () => {
    const byNumber = new FirstRows();
    for (const batch of batchesOf(30_000, 7000)) byNumber.take(batch);
    const unread = {
      rowCount: 1,
      get columns(): never {
        throw new Error("Rows beyond the limit are not decoded.");
      },
    };
    byNumber.take(unread);
    expect(byNumber.batches.map(({ rowCount }) => rowCount)).toEqual([7000, 3000]);
    expect(byNumber.batches[1]?.columns.map(({ length }) => length)).toEqual([3000, 3000]);
    byNumber.release();
    const bySize = new FirstRows();
    const large = "x".repeat(1024 * 1024);
    for (const batch of batchesOf(30, 4, () => large)) bySize.take(batch);
    expect(bySize.upTo(100).reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(7);
    const nested = new FirstRows();
    nested.take({ rowCount: 2, columns: [[{ a: [large, large, large] }, { a: [large.repeat(5)] }]] });
    expect(nested.upTo(100).map(({ rowCount }) => rowCount)).toEqual([1]);
    bySize.release();
    nested.release();
  });

  it("of many results stay within the server's share, and are stored again when it is free", () => {
    const large = "x".repeat(1024 * 1024);
    const held = (rows: FirstRows) => rows.upTo(100).reduce((sum, { rowCount }) => sum + rowCount, 0);
    const many = Array.from({ length: 40 }, () => new FirstRows());
    for (const rows of many) for (const batch of batchesOf(7, 7, () => large)) rows.take(batch);
    // 127 rows of slightly more than a mebibyte fit into 128 MiB.
    expect(many.reduce((sum, rows) => sum + held(rows), 0)).toBe(127);
    for (const rows of many) rows.release();
    const next = new FirstRows();
    for (const batch of batchesOf(7, 7, () => large)) next.take(batch);
    expect(held(next)).toBe(7);
    next.release();
  });

  it("that can't be written affect no one and are dropped", async () => {
    const owner = ownerIn();
    const rows = new FirstRows();
    rows.take(batchesOf(3, 3)[0] as Batch);
    const { batches: _, ...result } = resultOf([]);
    const insert = vi.spyOn(collections, "resultChunks").mockImplementation(() => {
      throw new Error("away");
    });
    const kept = vi.fn();
    keepSoon({ owner, rows, result: { ...result, rowCount: 3 }, kept });
    await keptNow();
    insert.mockRestore();
    expect(kept).not.toHaveBeenCalled();
    expect(rows.batches).toEqual([]);
    expect(await readLatest(owner)).toBeNull();
  });
});

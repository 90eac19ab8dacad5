import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Field, WireValue } from "@/lib/base/values/fields";
import type { Checkpoint, ExtractBatch, Load, LoadState } from "@/lib/features/connections/data-source";
import { NoColumns } from "@/lib/features/connections/drivers/shared/flows/sql-load";
import { RunGoesOn } from "@/lib/features/runs/goes-on";
import { AppError } from "@/lib/platform/http/errors";
import { type Move, moveEntity } from "./move-entity";

vi.mock("node:timers/promises", async (original) => ({
  ...(await original<typeof import("node:timers/promises")>()),
  // Waits are skipped; the tests check their lengths.
  setTimeout: async () => {},
}));

/** A destination in memory that keeps the contract of `Load`. */
class Destination {
  rows: WireValue[][] = [];
  columns: string[] = [];
  #staged: WireValue[][] = [];
  #kept: { run: string; position: Checkpoint | null; rowCount: number; isFinished: boolean } | null = null;
  opened = 0;

  open(fields: Field[], visible: "batch" | "end", run: string): Load {
    this.opened += 1;
    if (fields.length === 0 && this.columns.length === 0) throw new NoColumns();
    this.columns = fields.map(({ name }) => name);
    const isOurs = this.#kept?.run === run;
    const isResumed = isOurs && (visible === "batch" || this.#kept?.position !== null);
    if (!isResumed) this.#staged = [];
    const state: LoadState = {
      position: this.#kept?.position ?? null,
      isResumed,
      rowCount: isResumed ? (this.#kept?.rowCount ?? 0) : 0,
      isFinished: isOurs && this.#kept?.isFinished === true,
    };
    const kept = { run, position: state.position, rowCount: state.rowCount, isFinished: state.isFinished };
    this.#kept = kept;
    const into = () => (visible === "batch" ? this.rows : this.#staged);
    return {
      state,
      guarantee: "exactly_once",
      write: async ({ rowCount, columns }, { position }) => {
        for (let row = 0; row < rowCount; row += 1) into().push(columns.map((column) => column[row] ?? null));
        Object.assign(kept, { position, rowCount: kept.rowCount + rowCount });
        return { written: rowCount, rejected: [] };
      },
      finish: async () => {
        if (!kept.isFinished) this.rows.push(...this.#staged);
        kept.isFinished = true;
      },
      abandon: async () => {
        this.#staged = [];
        if (visible === "end") kept.position = null;
      },
    };
  }
}

const ROWS = 10;
const FIELDS: Field[] = [{ name: "id", type: "int32", dbType: "int" }];
type Source = {
  /** Errors of reads that reach this row: `times` of them, then none. */
  failures?: { at: number; times: number; error: () => unknown };
  /** Rows have no checkpoint. */
  isWithoutPlace?: boolean;
  /** From this row on there is one more field. */
  growsAt?: number;
  /** Its fields are known only with its first row. */
  isShy?: boolean;
};

function moving(destination: Destination, source: Source, more: Partial<Move> = {}) {
  const reads: (Checkpoint | null)[] = [];
  const retries: number[] = [];
  let failed = 0;
  let ahead = 0;
  let aheadMost = 0;
  let last = { read: 0, written: 0 };
  async function* batches(from: Checkpoint | null): AsyncGenerator<ExtractBatch> {
    const grown: Field[] = [...FIELDS, { name: "more", type: "string", dbType: "text" }];
    for (let id = Number(from ?? 0) + 1; id <= ROWS; id += 1) {
      if (source.failures?.at === id && failed < source.failures.times) {
        failed += 1;
        throw source.failures.error();
      }
      const isGrown = source.growsAt !== undefined && id >= source.growsAt;
      ahead += 1;
      aheadMost = Math.max(aheadMost, ahead);
      yield {
        rowCount: 1,
        columns: isGrown ? [[id], ["x"]] : [[id]],
        checkpoint: source.isWithoutPlace ? null : id,
        ...(isGrown ? { fields: grown } : source.isShy && { fields: FIELDS }),
      };
    }
  }
  const move: Move = {
    name: "things",
    runId: "run",
    start: { at: null },
    note: { checkpoint: null, visible: null },
    isPatient: false,
    isUnsteady: false,
    read: async (from) => {
      reads.push(from);
      return { fields: source.isShy ? [] : FIELDS, batches: batches(from) };
    },
    load: async (columns, visible) => destination.open(columns, visible, "run"),
    noteVisible: async () => {},
    rejectsLeft: () => 0,
    moved: async (counts) => {
      if (counts.read > last.read) ahead -= counts.read - last.read;
      last = counts;
    },
    rejected: async () => {},
    retrying: async (_, waitMs) => void retries.push(waitMs),
    signal: new AbortController().signal,
    ...more,
  };
  return { move, reads, retries, counts: () => last, aheadMost: () => aheadMost };
}

const away = () => new AppError("source_unreachable", "The source is away: connection refused.");
const ALL = Array.from({ length: ROWS }, (_, index) => index + 1);
const ids = ({ rows }: Destination) => rows.map(([id]) => id);

describe("moving rows", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => vi.useRealTimers());

  it("reads ahead a little, and no more", async () => {
    const destination = new Destination();
    const { move, reads, aheadMost, counts } = moving(destination, {});
    await moveEntity(move);
    expect([ids(destination), reads, counts()]).toEqual([ALL, [null], { read: ROWS, written: ROWS }]);
    expect(aheadMost()).toBeLessThanOrEqual(3);
  });

  it("resumes after a short outage, without losing or repeating a row", async () => {
    const destination = new Destination();
    const { move, reads, retries } = moving(destination, { failures: { at: 6, times: 2, error: away } });
    await moveEntity(move);
    expect(ids(destination)).toEqual(ALL);
    expect([reads, retries]).toEqual([[null, 5, 5], [1000, 4000]]); // biome-ignore format: one look
  });

  it("restarts invisibly if the source can't resume", async () => {
    const destination = new Destination();
    const { move, reads } = moving(destination, { isWithoutPlace: true, failures: { at: 6, times: 1, error: away } });
    await moveEntity(move);
    expect([ids(destination), reads]).toEqual([ALL, [null, null]]);
  });

  it("stops after three tries with the source's message, and removes invisible rows", async () => {
    const destination = new Destination();
    const source = { isWithoutPlace: true, failures: { at: 6, times: 99, error: away } };
    const { move, reads } = moving(destination, source);
    await expect(moveEntity(move)).rejects.toThrow("connection refused");
    expect([ids(destination), reads.length]).toEqual([[], 3]);
  });

  it.each<[string, () => unknown, Partial<Move>]>([
    ["is not to pass", () => new AppError("invalid_request", "There is no such field."), {}],
    ["a source has tried again itself", away, { isPatient: true }],
    ["is to be tried later than in a minute", () => new AppError("rate_limited", "Later.", { retryAfterSeconds: 61 }), {}],
    ["is a fault of ours", () => new TypeError("undefined is not a function"), {}],
  ])("does not retry when the failure %s", async (_, error, more) => {
    const { move, reads } = moving(new Destination(), { failures: { at: 6, times: 1, error } }, more);
    await expect(moveEntity(move)).rejects.toBeDefined();
    expect(reads).toHaveLength(1);
  }); // biome-ignore format: a line each

  it("trusts the destination's position over the stored checkpoint", async () => {
    const destination = new Destination();
    const first = moving(destination, { failures: { at: 6, times: 1, error: () => new RunGoesOn() } });
    await expect(moveEntity(first.move)).rejects.toBeInstanceOf(RunGoesOn);
    const note = { checkpoint: 3, visible: "batch" as const };
    const second = moving(destination, {}, { note });
    await moveEntity(second.move);
    expect([ids(destination), second.reads, second.counts()]).toEqual([ALL, [3, 5], { read: ROWS, written: ROWS }]);
    // A third attempt finds the load complete.
    const third = moving(destination, {}, { note: { checkpoint: 1, visible: "batch" } });
    await moveEntity(third.move);
    expect([ids(destination), third.counts()]).toEqual([ALL, { read: ROWS, written: ROWS }]);
  });

  it.each([[false], [true]])("creates the fields (invisible until the end: %s)", async (isUnsteady) => {
    const destination = new Destination();
    const { move, reads } = moving(destination, { isShy: true }, { isUnsteady });
    await moveEntity(move);
    expect([ids(destination), destination.columns, reads]).toEqual([ALL, ["id"], [null]]);
  });

  it("creates no table without rows, after checking again for a wrong checkpoint", async () => {
    const nothing = moving(new Destination(), { isShy: true }, { start: { at: ROWS } });
    await moveEntity(nothing.move);
    expect([nothing.reads, nothing.counts()]).toEqual([[ROWS], { read: 0, written: 0 }]);
    const destination = new Destination();
    const note = { checkpoint: ROWS, visible: null };
    const noted = moving(destination, { isShy: true }, { start: "continue", note });
    await moveEntity(noted.move);
    expect([ids(destination), noted.reads]).toEqual([ALL, [ROWS, null]]);
  });

  it.each([[false], [true]])("adds later fields (invisible until the end: %s)", async (isUnsteady) => {
    const destination = new Destination();
    const { move } = moving(destination, { growsAt: 4 }, { isUnsteady });
    await moveEntity(move);
    expect([ids(destination), destination.columns]).toEqual([ALL, ["id", "more"]]);
    expect(destination.rows.at(-1)).toEqual([10, "x"]);
  });

  it("C6 stops when a source changes the given checkpoint", async () => {
    const destination = new Destination();
    const { move } = moving(destination, {});
    const position = { run: "before", checkpoint: { since: 3, keys: ["a"] }, read: 3, isEnd: true };
    const note = { checkpoint: { since: 3, keys: ["a"] }, visible: "batch" as const };
    const read: Move["read"] = async (from) => {
      (from as { keys: string[] }).keys.push("b");
      return { fields: FIELDS, batches: (async function* (): AsyncGenerator<ExtractBatch> {})() };
    };
    const load: Move["load"] = async (fields) => {
      const opened = destination.open(fields, "batch", "run");
      return { ...opened, state: { position, isResumed: false, rowCount: 0, isFinished: false } };
    };
    await expect(moveEntity({ ...move, read, load, start: "continue", note })).rejects.toThrow(/not extensible/);
  });

  it("C6 stops when the destination reports another position each time", async () => {
    const destination = new Destination();
    const { move, reads } = moving(destination, {});
    let turn = 0;
    const load: Move["load"] = async (fields) => {
      turn += 1;
      const position = { run: "other", checkpoint: turn, read: turn, isEnd: false };
      const opened = destination.open(fields, "batch", "run");
      return { ...opened, state: { position, isResumed: false, rowCount: 0, isFinished: false } };
    };
    await expect(moveEntity({ ...move, load, start: "continue" })).rejects.toThrow(/5 different positions for things/);
    expect(reads).toHaveLength(5);
  });

  it("C6 stops when a source fails after empty batches each time", async () => {
    const destination = new Destination();
    const { move, retries } = moving(destination, {});
    const read: Move["read"] = async () => ({
      fields: FIELDS,
      batches: (async function* (): AsyncGenerator<ExtractBatch> {
        yield { rowCount: 0, columns: [[]], checkpoint: 5 };
        throw away();
      })(),
    });
    await expect(moveEntity({ ...move, read })).rejects.toThrow("connection refused");
    expect(retries).toEqual([1000, 4000]);
  });
});

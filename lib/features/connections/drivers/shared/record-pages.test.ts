import { describe, expect, it } from "vitest";
import { AppError } from "@/lib/platform/http/errors";
import { randomOf } from "@/test/random";
import type { Checkpoint } from "../../data-source";
import { extractRecords, type PagePlace, type RecordPage } from "./record-pages";

type Item = { id: number; at: number };
type Options = { from?: Checkpoint | null; batchRows?: number; batchesMax?: number; primaryKey?: string[] };

/** Far above the need of an honest source of these sizes. */
const PAGES_MAX = 2_000;

async function read(
  pageOf: (place: PagePlace | null, since: unknown, turn: number) => RecordPage,
  options: Options = {},
) {
  const { from = null, batchRows = 3, batchesMax = Number.POSITIVE_INFINITY, primaryKey = ["id"] } = options;
  let pages = 0;
  const request = {
    entity: { name: "orders" },
    cursorField: "at",
    primaryKey,
    from: freeze(from),
    batchRows,
    signal: new AbortController().signal,
  };
  const { batches } = await extractRecords(request, async (place, since) => {
    pages += 1;
    if (pages > PAGES_MAX) throw new Error("The reading has no end.");
    return pageOf(place, since, pages);
  });
  const ids: unknown[] = [];
  const checkpoints: (Checkpoint | null)[] = [];
  const asGiven: string[] = [];
  for await (const batch of batches) {
    ids.push(...(batch.columns[0] ?? []));
    checkpoints.push(batch.checkpoint);
    asGiven.push(JSON.stringify(batch.checkpoint));
    if (checkpoints.length >= batchesMax) break;
  }
  // No checkpoint changed after it was returned.
  expect(checkpoints.map((each) => JSON.stringify(each))).toEqual(asGiven);
  return { ids, pages, last: checkpoints.at(-1) ?? null };
}

function freeze(value: Checkpoint | null): Checkpoint | null {
  if (typeof value === "object" && value !== null) for (const part of Object.values(value)) Object.freeze(part);
  return Object.freeze(value);
}

/** Serves the pages of an honest service: by number, in insertion order. */
function honest(items: readonly Item[], size: number) {
  return (place: PagePlace | null, since: unknown): RecordPage => {
    const found = items.filter(({ at }) => since === null || at >= Number(since));
    const start = Number(place ?? 0) * size;
    const isLast = start + size >= found.length;
    return { records: found.slice(start, start + size), next: isLast ? null : Number(place ?? 0) + 1 };
  };
}

describe("C6 checkpoints of a service", () => {
  it("C6 ends when records have exactly the value of the checkpoint", async () => {
    const items = [{ id: 1, at: 5 }, { id: 2, at: 5 }];
    const first = await read(honest(items, 10));
    const kept = JSON.stringify(first.last);
    items.push({ id: 3, at: 5 }, { id: 4, at: 5 });
    const second = await read(honest(items, 10), { from: first.last });
    expect([second.ids, JSON.stringify(first.last)]).toEqual([[3, 4], kept]);
    expect((await read(honest(items, 10), { from: second.last })).ids).toEqual([]);
  }); // biome-ignore format: short lists

  it("C6 reads each record once over random pages, cuts and arrivals, in a bounded number of pages", async () => {
    const random = randomOf(6);
    const upTo = (most: number) => Math.floor(random() * most);
    for (let round = 0; round < 150; round += 1) {
      const items: Item[] = [];
      const add = () => items.push({ id: items.length + 1, at: Math.max(items.at(-1)?.at ?? 0, upTo(6)) });
      for (let count = upTo(12); count >= 0; count -= 1) add();
      const seen: unknown[] = [];
      let from: Checkpoint | null = null;
      for (let run = 0; run < 6; run += 1) {
        const options = { from, batchRows: 1 + upTo(4), batchesMax: run === 5 ? undefined : 1 + upTo(3) };
        const { ids, pages, last }: Awaited<ReturnType<typeof read>> = await read(honest(items, 2), options);
        expect(pages).toBeLessThanOrEqual(items.length + 1);
        seen.push(...ids);
        from = last;
        if (run < 4) for (let count = upTo(3); count > 0; count -= 1) add();
      }
      const { ids } = await read(honest(items, 2), { from });
      expect([round, [...seen, ...ids].toSorted((a, b) => Number(a) - Number(b))]).toEqual([
        round,
        items.map(({ id }) => id),
      ]);
    }
  });

  const page = (turn: number): Item[] => [{ id: turn * 2, at: turn }, { id: turn * 2 + 1, at: turn }]; // biome-ignore format: one page
  it.each<[string, (place: PagePlace | null, turn: number) => RecordPage, RegExp]>([
    ["gives one page again and again", (_, turn) => ({ records: page(1), next: turn }), /repeats an earlier page/],
    ["gives the same keys with other figures", (_, turn) => ({ records: page(1).map((each) => ({ ...each, views: turn })), next: turn }), /same keys as an earlier page/],
    ["gives two pages in turn, with other figures", (_, turn) => ({ records: page(turn % 2).map((each) => ({ ...each, views: turn })), next: turn }), /same keys as an earlier page/],
    ["names one cursor for ever", (_, turn) => ({ records: page(turn), next: "c" }), /was already read/],
    ["names its own page as the next one", (place, turn) => ({ records: page(turn), next: place ?? "/orders" }), /was already read/],
    ["names three cursors in a circle", (_, turn) => ({ records: page(turn), next: `c${turn % 3}` }), /was already read/],
    ["counts its pages back", (_, turn) => ({ records: page(turn), next: turn < 5 ? turn : 3 }), /was already read/],
    ["leads on through nothing", (_, turn) => ({ records: [], next: turn }), /100 consecutive pages of orders were empty/],
    ["leads on through nothing behind a page", (_, turn) => ({ records: turn === 1 ? page(1) : [], next: turn }), /100 consecutive pages of orders were empty/],
    ["gives one record per page for ever", (_, turn) => ({ records: [{ id: 1, at: 1 }], next: turn }), /repeats an earlier page/],
    ["gives records without keys again", (_, turn) => ({ records: [{ at: 1 }, { at: 1 }], next: turn }), /repeats an earlier page/],
  ])("C6 stops with a message when a source %s", async (_, pageOf, message) => {
    const failure = await read((place, __, turn) => pageOf(place, turn)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(AppError);
    expect((failure as AppError).message).toMatch(message);
  }); // biome-ignore format: a line each
});

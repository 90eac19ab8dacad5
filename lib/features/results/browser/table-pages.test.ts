import { expect, test } from "vitest";
import type { TablePage } from "@/lib/features/query/browser/api";
import { PLAIN } from "@/lib/features/results/browser/arrangement";
import { TablePages } from "@/lib/features/results/browser/table-pages";
import { ApiError } from "@/lib/platform/browser/request";

const page = (from: number, next: string | null): TablePage => ({
  executionId: "e",
  fields: [{ name: "n", type: "int32" }],
  rows: Array.from({ length: 100 }, (_, i) => ({ n: from + i })),
  rowCount: 100,
  durationMs: 1,
  databaseMs: 1,
  next,
  isStable: true,
  primaryKey: ["n"],
});
const turn = () => new Promise((resolve) => setTimeout(resolve));

test("requests the next page once when the end comes into view", async () => {
  const asked: (string | undefined)[] = [];
  const source = new TablePages(async ({ after }) => {
    asked.push(after);
    return page(asked.length * 100, asked.length < 3 ? `p${asked.length}` : null);
  });
  source.start();
  await turn();
  source.want(0, 20);
  expect(asked).toEqual([undefined]);
  source.want(40, 60);
  source.want(41, 61);
  await turn();
  expect(asked).toEqual([undefined, "p1"]);
  expect(source.count).toBe(200);
  expect(source.cell(100, 0)).toBe(200);
  source.want(180, 200);
  await turn();
  source.want(280, 300);
  expect(asked).toEqual([undefined, "p1", "p2"]);
  expect(source.hasMore).toBe(false);
});

test("starts again by column names for another query, and ignores late responses", async () => {
  const answers: ((page: TablePage) => void)[] = [];
  const asks: unknown[] = [];
  const source = new TablePages((ask) => {
    asks.push(ask);
    return new Promise((resolve) => answers.push(resolve));
  });
  source.start();
  answers[0]?.(page(0, "p1"));
  await turn();
  source.arrange({ ...PLAIN, sort: { column: 0, isDescending: true } });
  source.arrange({ ...PLAIN, columns: [{ column: 0, op: "least", value: "5" }] });
  answers[2]?.(page(5, null));
  answers[1]?.(page(900, null));
  await turn();
  expect(source.cell(0, 0)).toBe(5);
  expect(asks.at(-1)).toEqual({ sort: [], filters: [{ column: "n", op: "least", value: "5" }] });
});

test("reports a failure beside the rows, and retries on request only", async () => {
  let fails = false;
  let count = 0;
  const source = new TablePages(async () => {
    count += 1;
    if (fails) throw new Error("The line is cut.");
    return page(0, "p1");
  });
  source.start();
  await turn();
  fails = true;
  source.want(90, 100);
  await turn();
  source.want(90, 100);
  await turn();
  expect([source.failure?.message, source.count, count]).toEqual(["The line is cut.", 100, 2]);
  fails = false;
  source.retry();
  await turn();
  expect([source.failure, source.count]).toEqual([null, 200]);
});

const settle = async () => {
  for (let i = 0; i < 5; i += 1) await turn();
};

test("requests a URL's filters by name, and maps them once columns are known", async () => {
  const asks: unknown[] = [];
  const told: unknown[] = [];
  const source = new TablePages(async (ask) => {
    asks.push(ask);
    return page(0, null);
  });
  source.onArranged = (named) => told.push(named);
  source.start({
    sort: { column: "n", isDescending: true },
    filters: [{ column: "n", op: "any", values: ["1", null] }],
  });
  await settle();
  expect(asks).toEqual([
    { sort: [{ column: "n", descending: true }], filters: [{ column: "n", op: "any", values: ["1", null] }] },
  ]);
  expect(source.arrangement).toEqual({
    ...PLAIN,
    sort: { column: 0, isDescending: true },
    columns: [{ column: 0, op: "any", values: ["1", null] }],
  });
  // A change from the address itself is not reported back to it.
  expect(told).toEqual([]);
  source.arrange(PLAIN);
  expect(told).toEqual([{ sort: null, filters: [] }]);
});

test("drops and reports a URL that does not match the table; another failure stays", async () => {
  let status = 400;
  const source = new TablePages(async ({ filters }) => {
    if (filters?.length) throw new ApiError(status, "invalid_request", "Unknown column x.");
    return page(0, null);
  });
  source.start({ sort: null, filters: [{ column: "x", op: "is", value: "1" }] });
  await settle();
  expect([source.isLeftOut, source.failure, source.count]).toEqual([true, null, 100]);
  expect(source.arrangement).toEqual(PLAIN);
  status = 502;
  source.show({ sort: null, filters: [{ column: "x", op: "is", value: "1" }] });
  await settle();
  expect([source.isLeftOut, source.failure?.message]).toEqual([false, "Unknown column x."]);
});

test("appends columns for fields of later documents", async () => {
  const source = new TablePages(async ({ after }) =>
    after === undefined
      ? page(0, "p1")
      : { ...page(100, null), fields: [{ name: "m", type: "string" }], rows: [{ m: "late" }] },
  );
  source.start();
  await settle();
  source.want(90, 100);
  await settle();
  expect(source.fields.map(({ name }) => name)).toEqual(["n", "m"]);
  expect([source.cell(100, 1), source.cell(0, 1)]).toEqual(["late", null]);
});

type Pages = readonly { isStable: boolean; next: string | null }[];
test.each<[name: string, pages: Pages, isUnordered: boolean]>([
  ["one stable page", [{ isStable: true, next: null }], false],
  ["one page of a table without an order", [{ isStable: false, next: null }], false],
  ["a stable page with more behind it", [{ isStable: true, next: "p1" }], false],
  ["an unstable page with more behind it", [{ isStable: false, next: "p1" }], true],
  [
    "two stable pages",
    [
      { isStable: true, next: "p1" },
      { isStable: true, next: null },
    ],
    false,
  ],
  [
    "two unstable pages, the last one read",
    [
      { isStable: false, next: "p1" },
      { isStable: false, next: null },
    ],
    true,
  ],
  [
    "a stable page before an unstable one",
    [
      { isStable: true, next: "p1" },
      { isStable: false, next: null },
    ],
    true,
  ],
  [
    "an unstable page before a stable one",
    [
      { isStable: false, next: "p1" },
      { isStable: true, next: null },
    ],
    true,
  ],
])("C9 reports whether pages have an order: %s", async (_, pages, isUnordered) => {
  let asked = 0;
  const source = new TablePages(async () => ({ ...page(asked * 100, null), ...pages[asked++] }));
  source.start();
  await turn();
  for (let at = 1; at < pages.length; at += 1) {
    source.want(at * 100 - 1, at * 100);
    await turn();
  }
  expect([asked, source.isUnordered]).toEqual([pages.length, isUnordered]);
});

test("C9 resets the missing order with the next query", async () => {
  let isStable = false;
  const source = new TablePages(async () => ({ ...page(0, "p1"), isStable }));
  source.start();
  await turn();
  expect(source.isUnordered).toBe(true);
  isStable = true;
  source.arrange({ ...PLAIN, sort: { column: 0, isDescending: false } });
  await turn();
  expect(source.isUnordered).toBe(false);
});

test("C9 reports no order before the first page", () => {
  expect(new TablePages(async () => page(0, null)).isUnordered).toBe(false);
});

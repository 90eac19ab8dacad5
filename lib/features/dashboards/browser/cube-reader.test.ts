import { afterEach, expect, it, vi } from "vitest";
import type { Cube, WidgetCube } from "@/lib/base/cubes/cube";
import type { PageAsk } from "@/lib/features/dashboards/browser/dashboard-choice";
import { CubeReader } from "./cube-reader";

/** A cube of two regions, with two and three rows. */
const TOTAL: WidgetCube = {
  id: "total",
  fields: [{ name: "count", type: "int64", dbType: "BIGINT" }],
  axes: [{ field: "region", type: "string", bin: null, values: ["north", "south"], codes: [0, 1] }],
  dimensions: [],
  measures: [{ kind: "count", counts: [2, 3] }],
  sort: [],
  limit: 10,
  cachedAt: null,
  ageMs: null,
  truncated: false,
};
const CUBE: Cube = {
  widgets: [TOTAL, { id: "people", none: "distinct" }, { id: "quiet", none: "unaffected" }],
};
const press = (...regions: string[]) => ({ "@regions": { region: regions } });
const asked = (filters: object, more: object = {}): PageAsk => ({ filters: filters as PageAsk["filters"], ...more });
const counts = (reader: CubeReader, choice: object) => {
  const step = reader.step("regions", asked(choice));
  return step && [step.widgets.map(({ rows }) => rows[0]?.count), step.rest];
};

afterEach(() => vi.useRealTimers());

it("answers clicks from one load, and names those that need the server", async () => {
  const read = vi.fn(async () => CUBE);
  const reader = new CubeReader(read);
  expect(counts(reader, press("north"))).toBeNull();
  await reader.enter("regions", asked({ year: 2026, ...press("south") }));
  expect(read).toHaveBeenCalledExactlyOnceWith("regions", asked({ year: 2026 }), expect.any(AbortSignal));
  expect(counts(reader, { year: 2026, ...press("north") })).toEqual([[2], ["people"]]);
  expect(counts(reader, { ...press("north", "south"), year: 2026 })).toEqual([[5], ["people"]]);
  expect(counts(reader, { year: 2026 })).toEqual([[5], ["people"]]);
  // A request that the cube cannot answer is passed on.
  expect(counts(reader, { year: 2026, "@regions": { region: { from: "x", to: "y" } } })).toEqual([[5], ["people"]]);
  // Other filters, and another widget, need other cubes.
  expect(counts(reader, { year: 2025, ...press("north") })).toBeNull();
  expect(reader.step("total", asked({ year: 2026 }))).toBeNull();
  await reader.enter("regions", asked({ year: 2026, ...press("north") }));
  expect(read).toHaveBeenCalledTimes(1);
});

it("loads for one widget at a time, and ignores the failure of a cancelled load", async () => {
  const signals: AbortSignal[] = [];
  const answers = [Promise.withResolvers<Cube>(), Promise.withResolvers<Cube>()];
  const reader = new CubeReader((_, __, signal) => {
    signals.push(signal);
    return answers[signals.length - 1]?.promise ?? Promise.reject(new Error("away"));
  });
  const first = reader.enter("regions", asked({}));
  const again = reader.enter("regions", asked({}));
  const second = reader.enter("months", asked({}));
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  for (const { resolve } of answers) resolve(CUBE);
  await Promise.all([first, again, second]);
  expect(reader.step("regions", asked({}))).toBeNull();
  expect(reader.step("months", asked({}))).not.toBeNull();
  await reader.enter("weeks", asked({}));
  expect(reader.step("weeks", asked({}))).toBeNull();
});

it("drops data when rows change, time passes, or it is old", async () => {
  vi.useFakeTimers();
  const reader = new CubeReader(async () => CUBE);
  await reader.enter("regions", asked({}));
  reader.forget();
  expect(reader.step("regions", asked({}))).toBeNull();
  await reader.enter("regions", asked({}));
  vi.advanceTimersByTime(30_000);
  expect(reader.step("regions", asked({}))).toBeNull();
  for (const widget of ["a", "b", "c", "d", "e"]) await reader.enter(widget, asked({}));
  expect(["a", "b", "e"].map((widget) => reader.step(widget, asked({})) !== null)).toEqual([false, true, true]);
});

it("predicts views that differ in one click, with the same grain and comparison", async () => {
  const reader = new CubeReader(async () => CUBE);
  const weekly = { grain: "week" } as const;
  await reader.enter("regions", asked({ year: 2026 }, weekly));
  const drawn = asked({ year: 2026 }, weekly);
  const seen = (to: PageAsk) => reader.predict(drawn, to)?.widgets[0]?.rows[0]?.count;
  expect(seen(asked({ year: 2026, ...press("north") }, weekly))).toBe(2);
  expect(seen(asked({ year: 2026, ...press("north") }, { grain: "month" }))).toBeUndefined();
  expect(seen(asked({ year: 2026, ...press("north") }, { ...weekly, compare: "year" }))).toBeUndefined();
  expect(seen(asked({ year: 2025, ...press("north") }, weekly))).toBeUndefined();
  expect(seen(asked({ year: 2026, ...press("north"), "@months": {} }, weekly))).toBeUndefined();
  expect(seen(asked({ year: 2025 }, weekly))).toBeUndefined();
  expect(reader.predict(asked({ year: 2026, ...press("north") }, weekly), drawn)?.rest).toEqual(["people"]);
});

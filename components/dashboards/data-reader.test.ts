// @module-tag heavy
import { expect, test, vi } from "vitest";
import { DataReader } from "@/components/dashboards/data-reader";
import type { Cube } from "@/lib/base/cubes/cube";
import { CubeReader } from "@/lib/features/dashboards/browser/cube-reader";
import type { PageAsk } from "@/lib/features/dashboards/browser/dashboard-choice";
import type { WidgetData } from "@/lib/features/dashboards/schema";

const answer = (n: number): WidgetData[] => [
  { id: "w", fields: [], rows: [{ n }], cachedAt: null, ageMs: null, truncated: false },
];
type Asked = { filters: unknown; tell: (n: number) => void; give: (n: number) => void; fail: () => void };
const page = (filters: object): PageAsk => ({ filters: filters as PageAsk["filters"] });

/** A server whose responses are released by the test, with optional cubes. */
function held(readCube?: () => Promise<Cube>) {
  const asked: Asked[] = [];
  const reader = new DataReader(
    ({ filters }, _, onWidget) =>
      new Promise((resolve, reject) => {
        asked.push({
          filters,
          tell: (n) => answer(n).forEach(onWidget),
          give: (n) => resolve(answer(n)),
          fail: () => reject(new Error("gone")),
        });
      }),
    readCube && new CubeReader(readCube),
  );
  const drawn: unknown[] = [];
  reader.subscribe(() => {
    const shown = reader.current().data?.get("w")?.rows[0]?.n;
    if (drawn.at(-1) !== shown && shown !== undefined) drawn.push(shown);
  });
  return { reader, asked, drawn, shown: () => reader.current().data?.get("w")?.rows[0]?.n };
}
const turn = () => vi.waitFor(() => Promise.resolve());

test("runs one request and keeps the newest state waiting; each result is drawn", async () => {
  const { reader, asked, drawn } = held();
  reader.ask({ filters: { a: 1 } });
  for (const a of [2, 3, 4]) reader.ask({ filters: { a } });
  expect(asked.map(({ filters }) => filters)).toEqual([{ a: 1 }]);
  asked[0]?.give(1);
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]?.filters).toEqual({ a: 4 });
  asked[1]?.give(4);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  expect(drawn).toEqual([1, 4]);
});

test("draws a revisited state without a request, and nothing older over it", async () => {
  const { reader, asked, drawn } = held();
  reader.ask({ filters: {} });
  asked[0]?.give(1);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  reader.ask({ filters: { a: 1 } });
  asked[1]?.give(2);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  reader.ask({ filters: {} });
  await turn();
  expect(drawn).toEqual([1, 2, 1]);
  expect(asked).toHaveLength(2);
  reader.ask({ filters: {} }, true);
  expect(asked).toHaveLength(3);
});

test("ends with the revisited state when going back during a request", async () => {
  const { reader, asked, drawn } = held();
  reader.ask({ filters: {} });
  asked[0]?.give(1);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  reader.ask({ filters: { a: 1 } });
  reader.ask({ filters: {} });
  asked[1]?.give(2);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  expect(drawn).toEqual([1, 2, 1]);
  expect(asked).toHaveLength(2);
});

test("loads changed data after a running request, whatever else is requested", async () => {
  const { reader, asked } = held();
  reader.ask({ filters: {} });
  reader.ask({ filters: {} }, true);
  reader.ask({ filters: {} });
  asked[0]?.give(1);
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  asked[1]?.give(2);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  expect(reader.current().data?.get("w")?.rows).toEqual([{ n: 2 }]);
  // Cached responses from before the change are dropped.
  reader.ask({ filters: { a: 1 } });
  reader.ask({ filters: {} }, true);
  asked[2]?.give(3);
  await vi.waitFor(() => expect(asked).toHaveLength(4));
  asked[3]?.give(4);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  reader.ask({ filters: { a: 1 } });
  expect(asked).toHaveLength(5);
});

test("keeps the drawing after a failed request, and the next one clears the failure", async () => {
  const { reader, asked } = held();
  reader.ask({ filters: {} });
  asked[0]?.give(1);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  reader.ask({ filters: { a: 1 } });
  asked[1]?.fail();
  await vi.waitFor(() => expect(reader.current().error).toBeInstanceOf(Error));
  expect(reader.current().data?.get("w")?.rows).toEqual([{ n: 1 }]);
  reader.ask({ filters: { a: 2 } });
  asked[2]?.give(2);
  await vi.waitFor(() => expect(reader.current().error).toBeNull());
});

test("draws nothing after it was closed", async () => {
  const { reader, asked, drawn } = held();
  reader.ask({ filters: {} });
  reader.close();
  asked[0]?.give(1);
  await turn();
  expect(drawn).toEqual([]);
});

test("draws each widget as its data arrives, and keeps others if the stream breaks", async () => {
  const asked: { tell: (id: string) => void; end: (isGood: boolean) => void }[] = [];
  const toWidget = (id: string, n: number): WidgetData => ({ ...(answer(n)[0] as WidgetData), id });
  let n = 0;
  const reader = new DataReader((_, __, onWidget) => {
    n += 1;
    const turn = n;
    return new Promise((resolve, reject) => {
      asked.push({
        tell: (id) => onWidget(toWidget(id, turn)),
        end: (isGood) => (isGood ? resolve([toWidget("a", turn), toWidget("b", turn)]) : reject(new Error("cut"))),
      });
    });
  });
  const shown = () => Object.fromEntries([...(reader.current().data ?? [])].map(([id, { rows }]) => [id, rows[0]?.n]));
  reader.ask({ filters: {} });
  asked[0]?.tell("b");
  expect(shown()).toEqual({ b: 1 });
  asked[0]?.end(true);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  reader.ask({ filters: { x: 1 } });
  expect([...reader.current().arrived]).toEqual([]);
  asked[1]?.tell("a");
  expect(shown()).toEqual({ a: 2, b: 1 });
  expect([...reader.current().arrived]).toEqual(["a"]);
  asked[1]?.end(false);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  expect(shown()).toEqual({ a: 2, b: 1 });
  expect(reader.current().error).toBeInstanceOf(Error);
});

test("keeps the same objects for unchanged rows, with a new age", async () => {
  const { reader, asked } = held();
  const widget = () => reader.current().data?.get("w");
  reader.ask(page({}));
  asked[0]?.give(1);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  const first = widget();
  reader.ask(page({}), true);
  asked[1]?.tell(1);
  expect(widget()?.rows).toBe(first?.rows);
  asked[1]?.give(1);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  expect([widget()?.rows === first?.rows, widget()?.fields === first?.fields]).toEqual([true, true]);
  reader.ask(page({}), true);
  asked[2]?.give(2);
  await vi.waitFor(() => expect(widget()?.rows).toEqual([{ n: 2 }]));
});

/** Cube of two regions with two and three orders, as returned for a figure beside the widget. */
const CUBE: Cube = {
  widgets: [
    {
      id: "w",
      fields: [{ name: "n", type: "int64", dbType: "BIGINT" }],
      axes: [{ field: "region", type: "string", bin: null, values: ["north", "south"], codes: [0, 1] }],
      dimensions: [],
      measures: [{ kind: "count", counts: [2, 3] }],
      sort: [],
      limit: 10,
      cachedAt: null,
      ageMs: null,
      truncated: false,
    },
  ],
};
const press = (...region: string[]) => page({ "@regions": { region } });

test("answers a click from loaded cubes at once, without a request", async () => {
  const { reader, asked, shown } = held(async () => CUBE);
  reader.ask(page({}));
  asked[0]?.give(5);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  reader.enter("regions", page({}));
  await turn();
  reader.ask(press("north"));
  expect(shown()).toBe(2);
  reader.ask(press("south"));
  expect(shown()).toBe(3);
  reader.ask(press("north", "south"));
  expect([shown(), asked.length, reader.current().isReading]).toEqual([5, 1, false]);
  // A cube does not know changes of the data.
  reader.leave();
  reader.ask(press("north", "south"), true);
  expect(asked).toHaveLength(2);
  asked[1]?.give(9);
  await vi.waitFor(() => expect(shown()).toBe(9));
  reader.ask(press("north"));
  expect([shown(), asked.length]).toEqual([9, 3]);
});

test("stays fast for the next click after rows change", async () => {
  const cube = vi.fn(async () => CUBE);
  const { reader, asked, shown } = held(cube);
  reader.ask(page({}));
  asked[0]?.give(5);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  reader.enter("regions", page({}));
  reader.ask(page({}), true);
  asked[1]?.give(5);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  await turn();
  reader.ask(press("north"));
  expect([shown(), asked.length, cube.mock.calls.length]).toEqual([2, 2, 2]);
  reader.leave();
  reader.ask(page({}), true);
  asked[2]?.give(5);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  expect(cube).toHaveBeenCalledTimes(2);
});

test("asks the server if one widget has no cube, and draws nothing older over the prediction", async () => {
  const { reader, asked, shown } = held(async () => ({
    widgets: [...CUBE.widgets, { id: "people", none: "distinct" }],
  }));
  reader.ask(page({}));
  asked[0]?.give(5);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  reader.enter("regions", page({}));
  await turn();
  reader.ask(press("north"));
  expect([shown(), asked.length]).toEqual([2, 2]);
  reader.ask(press("south"));
  expect([shown(), asked.length]).toEqual([3, 2]);
  asked[1]?.tell(2);
  asked[1]?.give(2);
  await vi.waitFor(() => expect(asked).toHaveLength(3));
  expect(shown()).toBe(3);
  asked[2]?.give(3);
  await vi.waitFor(() => expect(reader.current().isReading).toBe(false));
  expect(shown()).toBe(3);
});

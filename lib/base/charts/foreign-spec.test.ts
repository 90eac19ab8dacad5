import { expect, test } from "vitest";
import { toForeignSpec } from "./foreign-spec";

const theme = { series: ["#000"], grid: "#000", axis: "#000", text: "#000", surface: "#fff", font: "x" };
const rows = [{ n: 1 }];

test("draws only the given rows, ignoring embedded data anywhere in a specification (T65)", () => {
  const url = "https://evil.example/?d=1";
  const endless = { sequence: { start: 0, stop: 1e9 } };
  const spec = {
    data: { url },
    datasets: { a: [{ n: 2 }] },
    layer: [
      { data: endless, mark: "point", encoding: { x: { field: "data" } } },
      { hconcat: [{ data: { url } }], transform: [{ lookup: "n", from: { data: { url }, key: "n" } }] },
    ],
  };
  const drawn = toForeignSpec(spec, rows, theme, { width: 10, height: 10 });
  expect(drawn).toMatchObject({
    data: { values: rows },
    layer: [
      { mark: "point", encoding: { x: { field: "data" } } },
      { hconcat: [{}], transform: [{ lookup: "n", from: { key: "n" } }] },
    ],
  });
  expect(JSON.stringify(drawn)).not.toMatch(/evil|sequence|datasets/);
});

test.each([
  ["hour", "hours"],
  [
    { interval: "minute", step: 15 },
    { interval: "minutes", step: 15 },
  ],
  [
    { interval: "second", step: 1 },
    { interval: "seconds", step: 1 },
  ],
  ["milliseconds", "milliseconds"],
  ["day", "day"],
  [
    { interval: "month", step: 3 },
    { interval: "month", step: 3 },
  ],
  [8, 8],
])("C1 draws ticks at %j", (tickCount, drawn) => {
  const spec = { mark: "line", encoding: { x: { field: "t", axis: { tickCount } } } };
  const size = { width: 10, height: 10 };
  expect(toForeignSpec(spec, rows, theme, size)).toMatchObject({ encoding: { x: { axis: { tickCount: drawn } } } });
});

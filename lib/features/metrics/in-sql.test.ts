import { describe, expect, it } from "vitest";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import type { Caller } from "@/lib/platform/access/caller";
import { fastestMs } from "@/test/processor-time";
import { expandMetrics } from "./in-sql";

const bound = (query: string) => ({
  query,
  params: undefined,
  names: new Set<string>(),
  toSource: (offset: number) => offset,
});
const caller = {} as Caller;

describe("a text full of calls", () => {
  it.each([["metric("], ["metric(a,"], ["metric(a.metric("], ["metric(a) b,"]])("is read once: %s", (piece) => {
    const text = bound(piece.repeat((256 * 1024) / piece.length));
    const connection = { type: "postgres" } as ConnectionDoc;
    const expand = () => void expandMetrics(caller, connection, text).catch(() => undefined);
    expect(fastestMs(500, expand)).toBeLessThan(500);
  });
});

describe("a call in another form", () => {
  it.each([
    ...["metric(", "metric()", "metric(a", "metric(a,)", "metric(,a)", "metric(a.)", "metric(.a)", "metric(a day)"],
    ...["metric(a, b day day)", "metric(a, b day.c)", "metric('a')", "metric(a; b)", "metric((a))", '"metric"(a)'],
    ...[
      "x.metric(a)",
      "'metric(a)'",
      "$$ metric(a) $$",
      "-- metric(a)",
      "/* /* metric(a) */ metric(a) */",
      "E'\\'metric(a)'",
    ],
  ])("is left to the database: %s", async (query) => {
    const text = bound(query);
    expect(await expandMetrics(caller, { type: "postgres" } as ConnectionDoc, text)).toBe(text);
  });

  it("is judged by the dialect's quotes", async () => {
    const text = bound("select `metric(a)`");
    expect(await expandMetrics(caller, { type: "mysql" } as ConnectionDoc, text)).toBe(text);
  });
});

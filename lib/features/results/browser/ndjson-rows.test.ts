import { describe, expect, it } from "vitest";
import { NdjsonRows } from "@/lib/features/results/browser/ndjson-rows";

const LINES = '{"a":1}\n{"a":"x\\ny"}\n{"a":null}\n';

describe("NdjsonRows", () => {
  it("reads the same rows however the chunks are split", () => {
    for (let size = 1; size <= LINES.length; size += 1) {
      const reader = new NdjsonRows();
      const rows = [];
      for (let at = 0; at < LINES.length; at += size) rows.push(...reader.read(LINES.slice(at, at + size)));
      expect(rows).toEqual([{ a: 1 }, { a: "x\ny" }, { a: null }]);
      expect(reader.isWhole).toBe(true);
    }
  });

  it("detects a row without its end", () => {
    const reader = new NdjsonRows();
    expect(reader.read('{"a":1}\n{"a"')).toEqual([{ a: 1 }]);
    expect(reader.isWhole).toBe(false);
  });
});

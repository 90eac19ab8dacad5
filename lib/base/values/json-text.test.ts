import { describe, expect, it } from "vitest";
import { jsonText } from "./json-text";

describe("JSON text inside of JSON", () => {
  it.each([
    "12345678901234567890", "-9223372036854775809", "1e400", "0.12345678901234567890", "1", "-0.5", "null", "true", '"a"',
    '"12345678901234567890"', "[12345678901234567890]", '{"a":12345678901234567890}', '[[1e400],{"text":"1"}]',
  ])("C11 writes %s unchanged, alone and in lists", (json) => {
    const cell = jsonText(json);
    expect(JSON.stringify(cell)).toBe(json);
    expect(JSON.stringify([cell, cell])).toBe(`[${json},${json}]`);
    expect(JSON.stringify({ a: [[cell]] })).toBe(`{"a":[[${json}]]}`);
  }); // biome-ignore format: lists
});

// @module-tag heavy
import { describe, expect, it } from "vitest";
import { turnsOf } from "@/test/processor-time";
import { FRAME_DEPTH_MAX, FRAME_VALUES_MAX, parseLargeFrame } from "./large-frame";

const list = (item: string, count: number) => `[${`${item},`.repeat(count)}${item}]`;
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
const noRest = async () => {};
const read = (text: string) => parseLargeFrame(Buffer.from(text), noRest);

const TOO_LARGE: Record<string, string> = {
  "lists in a list": list("[]", FRAME_VALUES_MAX / 2),
  "numbers in a list": list("1", FRAME_VALUES_MAX),
  "objects in a list": list("{}", FRAME_VALUES_MAX / 2),
  "nulls in a list": list("null", FRAME_VALUES_MAX),
  "short texts in a list": list('""', FRAME_VALUES_MAX),
  "members of objects": list('{"a":1,"b":2}', FRAME_VALUES_MAX / 2),
  "values behind a text with quotes": `["\\\\\\"",${list("1", FRAME_VALUES_MAX).slice(1)}`,
  "lists without an end": "[".repeat(2_000_000),
  "deep lists": nested("[", "]", FRAME_DEPTH_MAX + 1),
  "deep objects": nested('{"a":[', "]}", FRAME_DEPTH_MAX / 2 + 1),
};
const FITTING: Record<string, string> = {
  "as many numbers as fit": list("1", 500_000),
  "as deep as may be": nested("[", "]", FRAME_DEPTH_MAX),
  "a long text of commas and brackets": JSON.stringify(",[{".repeat(2_000_000)),
  "a text that ends in a backslash": JSON.stringify([`${",".repeat(FRAME_VALUES_MAX + 1)}\\`, 1]),
};

describe("a large frame", () => {
  it.each(Object.entries(TOO_LARGE))("C1 refuses %s", async (_, text) => {
    await expect(read(text)).rejects.toThrow(RangeError);
  });

  it.each(Object.entries(FITTING))("C1 reads %s", async (_, text) => {
    expect(JSON.stringify(await read(text)) === text).toBe(true);
  });

  it.each([
    ["a list of numbers", list("1", 2_000_000)],
    ["a text", JSON.stringify('a"\\'.repeat(5_000_000))],
    ["lists in lists", list("[1,[2]]", 400_000)],
  ])("C2 takes at most 50 ms of processor time between two rests: %s", async (_, text) => {
    const turns = await turnsOf((rest) => parseLargeFrame(Buffer.from(text), rest));
    expect(turns[3] ?? 0).toBeLessThan(50);
  });
});

import { describe, expect, it } from "vitest";
import { FRAME_DEPTH_MAX, FRAME_VALUES_MAX } from "@/lib/platform/embedded/engine/frame-tree";
import { ThreadPool } from "@/lib/platform/process/thread-pool";

const list = (item: string, count: number) => `[${`${item},`.repeat(count)}${item}]`;
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
const threads = new ThreadPool<Uint8Array, unknown>("frames", 1);
const read = (text: string) => threads.run(Buffer.from(text));

const TOO_LARGE: Record<string, string> = {
  "lists in a list": list("[]", FRAME_VALUES_MAX / 2),
  "numbers in a list": list("1", FRAME_VALUES_MAX),
  "objects in a list": list("{}", FRAME_VALUES_MAX / 2),
  "nulls in a list": list("null", FRAME_VALUES_MAX),
  "short texts in a list": list('""', FRAME_VALUES_MAX),
  "members of objects": list('{"a":1,"b":2}', FRAME_VALUES_MAX / 2),
  "values behind a text with quotes": `["\\\\\\"",${list("1", FRAME_VALUES_MAX).slice(1)}`,
  "lists without an end": "[".repeat(5_000_000),
  "deep lists": nested("[", "]", FRAME_DEPTH_MAX + 1),
  "deep objects": nested('{"a":[', "]}", FRAME_DEPTH_MAX / 2 + 1),
};
const FITTING: Record<string, string> = {
  "as many numbers as fit": list("1", 500_000),
  "as deep as may be": nested("[", "]", FRAME_DEPTH_MAX),
  "a long text of commas and brackets": JSON.stringify(",[{".repeat(2_000_000)),
  "a text that ends in a backslash": JSON.stringify([`${",".repeat(FRAME_VALUES_MAX + 1)}\\`, 1]),
};

describe("the thread that reads large frames", () => {
  it.each(Object.entries(TOO_LARGE))("C1 refuses %s, and lives", async (_, text) => {
    await expect(read(text)).rejects.toThrow("exited unexpectedly");
    expect(await read("[1]")).toEqual([1]);
  });

  it.each(Object.entries(FITTING))("C1 reads %s", async (_, text) => {
    expect(JSON.stringify(await read(text)) === text).toBe(true);
  });
});

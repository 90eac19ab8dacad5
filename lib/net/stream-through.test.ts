import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { paced } from "./stream-through";

const ENDLESS = 600_000;
const textOf = async (next: Promise<IteratorResult<Uint8Array>>) => {
  const { value, done } = await next;
  return done ? null : Buffer.from(value).toString();
};

describe("bytes of a long answer", () => {
  it("come at once when they are the first, and then together", async () => {
    const source = new PassThrough();
    const bytes = paced(source, undefined, () => 20);
    source.write("one ");
    const before = performance.now();
    expect(await textOf(bytes.next())).toBe("one ");
    source.write("two ");
    const second = textOf(bytes.next());
    source.write("three");
    expect(await second).toBe("two three");
    expect(performance.now() - before).toBeGreaterThanOrEqual(19);
    source.end();
    expect(await textOf(bytes.next())).toBeNull();
  });

  it("are left by a reader who leaves, and tell what they failed with", async () => {
    const source = new PassThrough();
    const bytes = paced(source, undefined, () => 0);
    source.write("one");
    await bytes.next();
    await bytes.return(undefined);
    expect(source.destroyed).toBe(true);
    const cut = new PassThrough();
    const failing = paced(cut, undefined, () => 0);
    cut.write("one");
    await failing.next();
    const failed = expect(failing.next()).rejects.toThrow("cut");
    cut.destroy(new Error("cut"));
    await failed;
  });

  it("are not waited for once whoever asked has left", async () => {
    const source = new PassThrough();
    const over = new AbortController();
    const bytes = paced(source, over.signal, () => ENDLESS);
    source.write("one");
    await bytes.next();
    const waiting = textOf(bytes.next());
    source.write("two");
    over.abort();
    expect(await waiting).toBe("two");
  });

  it("are held the longer the more answers are open, and not by those that are over", async () => {
    const secondAfterMs = async () => {
      const source = new PassThrough();
      const bytes = paced(source, undefined);
      source.write("one");
      await bytes.next();
      const before = performance.now();
      source.write("two");
      await bytes.next();
      await bytes.return(undefined);
      return performance.now() - before;
    };
    const over = new AbortController();
    const others = Array.from({ length: 100 }, () => {
      const source = new PassThrough();
      source.write("one");
      return paced(source, over.signal);
    });
    await Promise.all(others.map((each) => each.next()));
    expect(await secondAfterMs()).toBeGreaterThan(190);
    over.abort();
    const alone = await Promise.all([secondAfterMs(), secondAfterMs(), secondAfterMs()]);
    expect(Math.min(...alone)).toBeLessThan(190);
  });
});

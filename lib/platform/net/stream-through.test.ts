// @module-tag heavy
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { heldByOpenAnswers, paced, within } from "./stream-through";

const ENDLESS = 600_000;
const textOf = async (next: Promise<IteratorResult<Uint8Array>>) => {
  const { value, done } = await next;
  return done ? null : Buffer.from(value).toString();
};

describe("bytes of a long response", () => {
  it("are sent at once first, then in batches", async () => {
    const source = new PassThrough();
    const bytes = paced(source, undefined, () => 500);
    source.write("one ");
    const before = performance.now();
    expect(await textOf(bytes.next())).toBe("one ");
    source.write("two ");
    const second = textOf(bytes.next());
    source.write("three");
    expect(await second).toBe("two three");
    expect(performance.now() - before).toBeGreaterThanOrEqual(499);
    source.end();
    expect(await textOf(bytes.next())).toBeNull();
  });

  it("end when the reader leaves, with the reason of a failure", async () => {
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

  it("are not awaited once the client has left", async () => {
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

  it("are batched longer with more open responses, not with finished ones", async () => {
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
    const aloneMs = heldByOpenAnswers();
    const others = Array.from({ length: 100 }, () => {
      const source = new PassThrough();
      source.write("one");
      return paced(source, over.signal);
    });
    await Promise.all(others.map((each) => each.next()));
    // 500 reads a second in all.
    expect(heldByOpenAnswers() - aloneMs).toBeCloseTo(200);
    expect(await secondAfterMs()).toBeGreaterThan(190);
    over.abort();
    expect(heldByOpenAnswers()).toBe(aloneMs);
  });
});

describe("a buffer for parsing", () => {
  const pieces = async function* (...texts: string[]) {
    for (const text of texts) yield Buffer.from(text);
  };
  const read = async (isByLine: boolean, ...texts: string[]) => {
    let read = "";
    for await (const bytes of within(4, pieces(...texts), isByLine)) read += Buffer.from(bytes).toString();
    return read;
  };

  it("is limited per line in line formats, for any number of lines", async () => {
    expect(await read(true, "12", "34", "\n12", "34\n", "1234\n1234")).toBe("1234\n1234\n1234\n1234");
    await expect(read(true, "1\n12", "345")).rejects.toMatchObject({ kind: "too_large" });
  });

  it("is limited as a whole otherwise", async () => {
    expect(await read(false, "1\n", "3\n")).toBe("1\n3\n");
    await expect(read(false, "1\n", "3\n", "5")).rejects.toMatchObject({ kind: "too_large" });
  });
});

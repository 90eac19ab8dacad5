import { expect, it } from "vitest";
import type { Batch } from "@/lib/base/values/fields";
import { Answers } from "./answer-cache";

const ANY = new AbortController().signal;
const cells = (count: number): Batch => ({ rowCount: count, columns: [Array.from({ length: count }, () => 1)] });

it("computes once for concurrent and later callers", async () => {
  const answers = new Answers();
  let asked = 0;
  const work = async () => {
    asked += 1;
    return cells(1);
  };
  await Promise.all([answers.once("a", ANY, work), answers.once("a", ANY, work), answers.once("b", ANY, work)]);
  await answers.once("a", ANY, work);
  expect(asked).toBe(2);
});

it("continues for remaining callers, and ends when the last has left", async () => {
  const answers = new Answers();
  const [one, other] = [new AbortController(), new AbortController()];
  let ended: unknown = null;
  const work = (signal: AbortSignal) =>
    new Promise<Batch>((_, reject) => {
      signal.addEventListener("abort", () => {
        ended = signal.reason;
        reject(signal.reason);
      });
    });
  const both = [answers.once("a", one.signal, work), answers.once("a", other.signal, work)];
  one.abort(new Error("left"));
  await expect(both[0]).rejects.toThrow("left");
  expect(ended).toBeNull();
  other.abort(new Error("left, too"));
  await expect(both[1]).rejects.toThrow("left, too");
  expect(ended).toBeInstanceOf(Error);
  // Later callers are not affected.
  expect(await answers.once("a", ANY, async () => cells(2))).toEqual(cells(2));
});

it("does not cache a failure", async () => {
  const answers = new Answers();
  await expect(answers.once("a", ANY, () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(await answers.once("a", ANY, async () => cells(1))).toEqual(cells(1));
});

it("evicts the least recently used entries, and caches none that would evict all others", async () => {
  const answers = new Answers();
  const asked: string[] = [];
  const ask = (question: string, count: number) =>
    answers.once(question, ANY, async () => {
      asked.push(question);
      return cells(count);
    });
  for (let n = 0; n < 10; n += 1) await ask(`q${n}`, 99_000);
  await ask("q0", 99_000);
  await ask("huge", 200_000);
  await ask("huge", 200_000);
  await ask("q10", 99_000);
  asked.length = 0;
  await ask("q0", 99_000);
  await ask("q1", 99_000);
  await ask("huge", 200_000);
  expect(asked).toEqual(["q1", "huge"]);
});

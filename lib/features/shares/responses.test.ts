import { ObjectId } from "mongodb";
import { expect, it } from "vitest";
import { answerOnce } from "./responses";

/** Same limits as in the product: concurrent requests per share, and cached responses. */
const OF_ONE_MAX = 50;
const KEPT_MAX = 100;

/** Returns work that ends when the test releases it. */
function held<T>(value: T) {
  const gate = Promise.withResolvers<void>();
  let count = 0;
  const work = async () => {
    count += 1;
    await gate.promise;
    return value;
  };
  return { work, end: gate.resolve, count: () => count };
}

it("computes once for ten thousand concurrent callers, and for the next one", async () => {
  const share = new ObjectId();
  const { work, end, count } = held("seven");
  const all = Array.from({ length: 10_000 }, () => answerOnce(share, "data", work));
  end();
  expect(new Set(await Promise.all(all))).toEqual(new Set(["seven"]));
  expect(await answerOnce(share, "data", work)).toBe("seven");
  expect(count()).toBe(1);
  await answerOnce(share, "other", work);
  await answerOnce(new ObjectId(), "data", work);
  expect(count()).toBe(3);
});

it("rejects a share flooded with different queries, and answers the others", async () => {
  const [flooded, other] = [new ObjectId(), new ObjectId()];
  const { work, end } = held("there");
  const first = Array.from({ length: OF_ONE_MAX }, (_, n) => answerOnce(flooded, `question ${n}`, work));
  await expect(answerOnce(flooded, "one more", work)).rejects.toMatchObject({
    kind: "unavailable",
    retryAfterSeconds: expect.any(Number),
  });
  const theirs = answerOnce(other, "data", work);
  // A request that is already running does not count again.
  const again = answerOnce(flooded, "question 0", work);
  end();
  expect(await Promise.all([...first, theirs, again])).toEqual(Array(OF_ONE_MAX + 2).fill("there"));
  expect(await answerOnce(flooded, "one more", work)).toBe("there");
});

it("keeps frequently used entries", async () => {
  const share = new ObjectId();
  let count = 0;
  const asked = () =>
    answerOnce(share, "the plain page", async () => {
      count += 1;
    });
  await asked();
  for (let n = 0; n < KEPT_MAX * 2; n++) {
    await answerOnce(share, `filtered ${n}`, async () => n);
    if (n % 10 === 0) await asked();
  }
  expect(count).toBe(1);
});

it("drops a failure at once", async () => {
  const share = new ObjectId();
  const fail = () => answerOnce(share, "data", () => Promise.reject(new Error("away")));
  await expect(fail()).rejects.toThrow("away");
  expect(await answerOnce(share, "data", async () => "back")).toBe("back");
});

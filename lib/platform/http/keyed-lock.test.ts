import { expect, test } from "vitest";
import { coalesce, withKeyedLock } from "./keyed-lock";

/** Returns work that ends when it is released. */
function held() {
  const begun: { end: () => void; fail: (error: Error) => void }[] = [];
  const work = () => new Promise<void>((end, fail) => void begun.push({ end, fail }));
  return { begun, work };
}
const turns = () => new Promise((resolve) => setImmediate(resolve));

test("runs writers of one key in sequence, others at once, and keeps their failures apart", async () => {
  const { begun, work } = held();
  const first = withKeyedLock("a", work);
  const second = withKeyedLock("a", work);
  const other = withKeyedLock("b", work);
  await turns();
  expect(begun).toHaveLength(2);
  begun[0]?.fail(new Error("lost"));
  await expect(first).rejects.toThrow("lost");
  await turns();
  expect(begun).toHaveLength(3);
  for (const { end } of begun) end();
  await Promise.all([second, other]);
  expect(await withKeyedLock("a", async () => 7)).toBe(7);
});

test("coalesces calls: one run for those before its start, one more for later ones", async () => {
  const { begun, work } = held();
  const first = coalesce("c", work);
  await turns();
  const later = Array.from({ length: 100 }, () => coalesce("c", work));
  await turns();
  expect(begun).toHaveLength(1);
  begun[0]?.fail(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await turns();
  expect(begun).toHaveLength(2);
  begun[1]?.end();
  await Promise.all(later);
  expect(begun).toHaveLength(2);
});

import { expect, it } from "vitest";
import { Coalescer } from "./coalescer";

/** A store whose answers arrive when the test resolves them, in the order of the questions. */
function slowStore() {
  const asked: PromiseWithResolvers<string>[] = [];
  const lookUp = () => {
    const answer = Promise.withResolvers<string>();
    asked.push(answer);
    return answer.promise;
  };
  return { asked, lookUp };
}

it("starts work at once for a single caller, each time", async () => {
  const { asked, lookUp } = slowStore();
  const joined = new Coalescer<string>();
  for (const answer of ["first", "second"]) {
    const got = joined.next("a", lookUp);
    asked.at(-1)?.resolve(answer);
    expect(await got).toBe(answer);
  }
  expect(asked).toHaveLength(2);
});

it("returns no result of a run that started before the call (T11)", async () => {
  const { asked, lookUp } = slowStore();
  const joined = new Coalescer<string>();
  const first = joined.next("a", lookUp);
  const late = [joined.next("a", lookUp), joined.next("a", lookUp)];
  expect(asked).toHaveLength(1);
  asked[0]?.resolve("before the logout");
  expect(await first).toBe("before the logout");
  await expect.poll(() => asked.length).toBe(2);
  const later = joined.next("a", lookUp);
  asked[1]?.resolve("after it");
  expect(await Promise.all(late)).toEqual(["after it", "after it"]);
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.resolve("later still");
  expect(await later).toBe("later still");
});

it("limits a failure to the callers of its run", async () => {
  const { asked, lookUp } = slowStore();
  const joined = new Coalescer<string>();
  const first = joined.next("a", lookUp);
  const late = joined.next("a", lookUp);
  asked[0]?.reject(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.resolve("back");
  expect(await late).toBe("back");
});

it("does not wait for the work of other keys", async () => {
  const { asked, lookUp } = slowStore();
  const joined = new Coalescer<string>();
  void joined.next("a", lookUp);
  const other = joined.next("b", lookUp);
  expect(asked).toHaveLength(2);
  asked[1]?.resolve("theirs");
  expect(await other).toBe("theirs");
});

it("joins the running work, and starts it again after its end", async () => {
  const { asked, lookUp } = slowStore();
  const joined = new Coalescer<string>();
  const all = [joined.join("a", lookUp), joined.join("a", lookUp)];
  expect([asked.length, joined.size]).toEqual([1, 1]);
  asked[0]?.reject(new Error("away"));
  for (const each of all) await expect(each).rejects.toThrow("away");
  expect([joined.size, joined.running("a")]).toEqual([0, null]);
  const again = joined.join("a", lookUp);
  asked[1]?.resolve("back");
  expect(await again).toBe("back");
});

import { describe, expect, it } from "vitest";
import { ObjectCache } from "./object-cache";

describe("the cache of parsed objects", () => {
  it("evicts the least recently used value when full", () => {
    const cache = new ObjectCache<number>(10);
    cache.set("a", 1, 4);
    cache.set("b", 2, 4);
    expect(cache.get("a")).toBe(1);
    cache.set("c", 3, 4);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
  });

  it("counts a replaced value once", () => {
    const cache = new ObjectCache<number>(10);
    for (let n = 0; n < 100; n++) cache.set("a", n, 4);
    cache.set("b", 2, 4);
    expect([cache.get("a"), cache.get("b")]).toEqual([99, 2]);
  });

  it("does not cache a value larger than itself", () => {
    const cache = new ObjectCache<number>(10);
    cache.set("a", 1, 4);
    cache.set("huge", 2, 11);
    expect([cache.get("a"), cache.get("huge")]).toEqual([undefined, undefined]);
    cache.set("b", 3, 10);
    expect(cache.get("b")).toBe(3);
  });
});

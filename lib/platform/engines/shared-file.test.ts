import { describe, expect, it } from "vitest";
import { pickSlot } from "./shared-file";

type Slot = Parameters<typeof pickSlot>[0][number] & { name: string };
const LEASE = Promise.resolve({ socket: async () => "", release: async () => {} });
const slot = (name: string, running: Record<string, number> = {}, rest: Partial<Slot> = {}): Slot => ({
  name,
  running: new Map(Object.entries(running)),
  lastTenant: null,
  lease: null,
  ...rest,
});
/** This tenant's preferred slot, among four. */
const OWN = ["a", "b", "c", "d"]
  .map((name) => name)
  .indexOf(
    pickSlot(
      ["a", "b", "c", "d"].map((name) => slot(name)),
      "me",
    ).name,
  );
const four = (...slots: Slot[]) => slots.toSpliced(OWN, 0, slot("own", { other: 9 }));

describe("the engine of a workspace", () => {
  it.each<[string, Slot[], string]>([
    ["is the one in which it has requests", four(slot("x"), slot("y", { me: 1 }), slot("z")), "y"],
    ["is that one although others are in it", four(slot("x"), slot("y", { me: 1, other: 5 }), slot("z")), "y"],
    ["is the one that it had last", four(slot("x"), slot("y", {}, { lastTenant: "me" }), slot("z")), "y"],
    [
      "is not the one that it had last while another works there",
      four(slot("x", { o: 1 }, { lastTenant: "me" }), slot("y"), slot("z", { o: 1 })),
      "y",
    ],
    ["is a running one before one that has to start", four(slot("x"), slot("y"), slot("z", {}, { lease: LEASE })), "z"],
    [
      "is a new one before a busy one",
      four(slot("x", { o: 1 }, { lease: LEASE }), slot("y"), slot("z", { o: 1 })),
      "y",
    ],
    [
      "is the one with the fewest requests when all are busy",
      four(slot("x", { o: 3 }), slot("y", { o: 1, p: 1 }), slot("z", { o: 4 })),
      "y",
    ],
    [
      "counts the requests of all",
      four(slot("x", { o: 1, p: 1, q: 1 }), slot("y", { o: 4 }), slot("z", { o: 5 })),
      "x",
    ],
  ])("C3 %s", (_, slots, name) => expect(pickSlot(slots, "me").name).toBe(name));

  it("C3 is the same on every server while no one works", () => {
    const names = Array.from(
      { length: 100 },
      (_, index) =>
        pickSlot(
          ["a", "b", "c", "d"].map((n) => slot(n)),
          `w${index}`,
        ).name,
    );
    expect(new Set(names)).toEqual(new Set(["a", "b", "c", "d"]));
  });
});

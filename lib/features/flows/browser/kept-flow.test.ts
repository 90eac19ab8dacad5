import { expect, it } from "vitest";
import { type FlowDraft, NEW_FLOW } from "./flow-form";
import { isBegun, KeptFlow } from "./kept-flow";

const [USER, WORKSPACE, FROM, TO] = ["u", "w", "a".repeat(24), "b".repeat(24)];
const DRAFT: FlowDraft = {
  ...NEW_FLOW,
  name: "Orders",
  sourceId: FROM,
  entities: [{ name: "orders", schema: "shop", cursorField: "", primaryKey: ["id"] }],
  destinationId: TO,
  schedule: { cron: "0 7 * * *", timezone: "UTC", enabled: true },
};

function makeStore() {
  const texts = new Map<string, string>();
  const store = {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
    removeItem: (key: string) => void texts.delete(key),
  };
  return { texts, store };
}

it("restores a started form for the same person and workspace", () => {
  const { store, texts } = makeStore();
  const kept = new KeptFlow(USER, WORKSPACE, store);
  kept.keep(DRAFT);
  expect(new KeptFlow(USER, WORKSPACE, store).read([FROM, TO])).toEqual(DRAFT);
  expect(new KeptFlow("somebody", WORKSPACE, store).read([FROM, TO])).toBeNull();
  expect(new KeptFlow(USER, "elsewhere", store).read([FROM, TO])).toBeNull();
  kept.discard();
  expect(texts.size).toBe(0);
});

it("drops an empty form", () => {
  const { store, texts } = makeStore();
  const kept = new KeptFlow(USER, WORKSPACE, store);
  kept.keep(DRAFT);
  kept.keep(NEW_FLOW);
  expect([texts.size, isBegun(NEW_FLOW), isBegun(DRAFT)]).toEqual([0, false, true]);
});

it("resets the choices of a deleted connection", () => {
  const { store } = makeStore();
  const kept = new KeptFlow(USER, WORKSPACE, store);
  kept.keep(DRAFT);
  expect(kept.read([TO])).toEqual({ ...DRAFT, sourceId: "", entities: [] });
  expect(kept.read([FROM])).toEqual({ ...DRAFT, destinationId: "" });
});

it("ignores a form of another version, and survives a blocked storage", () => {
  const { store, texts } = makeStore();
  const kept = new KeptFlow(USER, WORKSPACE, store);
  kept.keep(DRAFT);
  const [key] = [...texts.keys()];
  const broken = [
    "",
    "null",
    "[]",
    "{",
    JSON.stringify({ ...DRAFT, name: undefined }),
    JSON.stringify({ ...DRAFT, type: "copy" }),
    JSON.stringify({ ...DRAFT, entities: [{ name: "orders" }] }),
    JSON.stringify({ ...DRAFT, queryKey: "id" }),
    JSON.stringify({ ...DRAFT, schedule: { cron: 5 } }),
  ];
  for (const text of broken) {
    texts.set(key ?? "", text);
    expect(kept.read([FROM, TO]), text).toBeNull();
  }
  const refuse = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  const closed = new KeptFlow(USER, WORKSPACE, { getItem: refuse, setItem: refuse, removeItem: refuse });
  closed.keep(DRAFT);
  closed.discard();
  expect(closed.read([FROM, TO])).toBeNull();
});

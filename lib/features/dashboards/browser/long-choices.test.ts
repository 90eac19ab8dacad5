import { expect, test } from "vitest";
import { readChoice, readLost } from "@/lib/features/dashboards/browser/dashboard-choice";
import { CHOICE_CHARS_MAX, KEPT_MAX, LongChoices, shortenChoice } from "@/lib/features/dashboards/browser/long-choices";

/** A store like those of browsers. @param charsMax writes beyond it fail */
function storeOf(charsMax = 5_000_000) {
  const values = new Map<string, string>();
  const chars = () => [...values.values()].reduce((sum, { length }) => sum + length, 0);
  return {
    values,
    get length() {
      return values.size;
    },
    key: (index: number) => [...values.keys()][index] ?? null,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (chars() + value.length > charsMax) throw new DOMException("full", "QuotaExceededError");
      values.set(key, value);
    },
    removeItem: (key: string) => void values.delete(key),
  };
}

const refused = () => {
  throw new DOMException("no store in this frame", "SecurityError");
};
const listOf = (count: number, chars = 5) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => `${index}`.padEnd(chars, "x")));

/** Returns the query of an address with a choice, as the page writes it. */
function addressOf(choice: Record<string, string>, long: LongChoices): URLSearchParams {
  const query = new URLSearchParams(choice);
  const replaced = shortenChoice(Object.entries(choice), (text) => long.keep(text));
  for (const [name, text] of Object.entries(replaced)) query.set(name, text);
  return query;
}

test.each<[name: string, choice: Record<string, string>, shortened: number]>([
  ["no filter", {}, 0],
  ["one short filter", { "f.a": '"north"' }, 0],
  ["20 values", { "f.a": listOf(20) }, 0],
  ["200 values", { "f.a": listOf(200) }, 1],
  ["200 values of 1,000 characters", { "f.a": listOf(200, 1000) }, 1],
  ["a long list and a short one", { "f.a": listOf(200), "f.b": listOf(3) }, 1],
  ["two long lists", { "f.a": listOf(200), "f.b": listOf(150) }, 2],
  ["a long press", { "at.w": `{"city":${listOf(200)}}` }, 1],
  // 10 x 109 + 30 x 110 escaped characters, and a reference saves 85 of them: (4390 - 2000) / 85 = 28.1.
  ["40 filters of 100 characters", Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f.${i}`, `"${"x".repeat(98)}"`])), 29], // biome-ignore format: one look
  ["one character of three bytes, 1,000 times", { "f.a": `"${"\u20ac".repeat(1000)}"` }, 1],
  ["quotes and ampersands", { "f.a": JSON.stringify(Array(200).fill('"&=#+%')) }, 1],
])("C37 keeps the URL short: %s", (_, choice, shortened) => {
  const store = storeOf();
  const query = addressOf(choice, new LongChoices(() => store));
  expect(query.toString().length).toBeLessThanOrEqual(CHOICE_CHARS_MAX);
  expect([...query].filter(([, text]) => text.startsWith("~")).length).toBe(shortened);
  // A reload empties memory and keeps the store.
  const find = (reference: string) => new LongChoices(() => store).find(reference);
  const parsed = Object.fromEntries(Object.entries(readChoice(new URLSearchParams(choice))));
  expect([readChoice(query, find), readLost(query, find)]).toEqual([parsed, []]);
});

test("C37 reports filters stored in another browser", () => {
  const mine = storeOf();
  const query = addressOf(
    { "f.a": listOf(200), "f.b": '"north"', "at.w": `{"c":${listOf(300)}}`, wall: "1" },
    new LongChoices(() => mine),
  );
  const theirs = new LongChoices(() => storeOf());
  const find = (reference: string) => theirs.find(reference);
  expect([readChoice(query, find), readLost(query, find)]).toEqual([{ b: "north" }, ["a", "@w"]]);
});

test("C37 keeps a selection in memory if the browser's storage is blocked or full", () => {
  for (const open of [refused, () => storeOf(100)]) {
    const long = new LongChoices(open);
    const query = addressOf({ "f.a": listOf(200) }, long);
    expect(readChoice(query, (reference) => long.find(reference))).toEqual({ a: JSON.parse(listOf(200)) });
  }
});

test("C37 keeps only the newest values", () => {
  const store = storeOf();
  let now = 0;
  const long = new LongChoices(() => store, () => now++); // biome-ignore format: one thought
  const texts = Array.from({ length: KEPT_MAX + 10 }, (_, index) => `${index} ${listOf(200)}`);
  const references = texts.map((text) => long.keep(text));
  expect(store.values.size).toBe(KEPT_MAX);
  for (const each of [long, new LongChoices(() => store)]) {
    expect(references.map((reference) => each.find(reference))).toEqual([...Array(10).fill(null), ...texts.slice(10)]);
  }
  // Values of 200,000 characters: five of them reach the page's limit.
  const large = Array.from({ length: 8 }, (_, index) => `${index}${"x".repeat(199_999)}`);
  for (const text of large) long.keep(text);
  expect([...store.values.values()].reduce((sum, { length }) => sum + length, 0)).toBeLessThan(1_010_000);
});

test("C37 has one reference for one value", () => {
  const store = storeOf();
  const long = new LongChoices(() => store);
  expect(long.keep(listOf(200))).toBe(long.keep(listOf(200)));
  expect(long.keep(listOf(200))).not.toBe(long.keep(listOf(201)));
  expect(store.values.size).toBe(2);
});

test.each(["not JSON", "null", "[]", '{"at":"x","text":1}', '{"text":"y"}'])(
  "C37 treats a broken entry as absent: %s",
  (entry) => {
    const store = storeOf();
    const long = new LongChoices(() => store);
    const reference = long.keep(listOf(200));
    for (const key of store.values.keys()) store.setItem(key, entry);
    expect(new LongChoices(() => store).find(reference)).toBeNull();
  },
);

test("C37 keeps other entries of the storage", () => {
  const store = storeOf();
  store.setItem("draft", "x".repeat(2_000_000));
  const long = new LongChoices(() => store);
  for (let index = 0; index < 60; index += 1) long.keep(`${index}${listOf(200)}`);
  expect(store.getItem("draft")).toHaveLength(2_000_000);
});

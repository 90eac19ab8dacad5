import { BSONSymbol, Code, DBRef, Double, Int32, MinKey, ObjectId, UUID } from "mongodb";
import { expect, test } from "vitest";
import { fromEditText, hasEditText, toCandidates, toEditedValue, toEditText } from "./edit-values";

const DAY = "2026-01-02T00:00:00.000Z";

test("finds all values that a page shows as the text of an _id", () => {
  expect(toCandidates("5")).toEqual(["5", new Int32(5), expect.anything(), expect.anything(), expect.anything()]);
  const ofList = toCandidates(`["${DAY}",1,{"a":"${DAY}"}]`).slice(1);
  expect(ofList).toHaveLength(4);
  for (const first of [DAY, new Date(DAY)]) {
    for (const a of [DAY, new Date(DAY)]) expect(ofList).toContainEqual([first, 1, { a }]);
  }
  expect(toCandidates(`[${"1,".repeat(2000)}1]`)[1]).toHaveLength(2001);
});

test("limits the length, the depth and the readings of an _id", () => {
  expect(() => toCandidates(`[${"1,".repeat(20_000)}1]`)).toThrow("An _id of over 4096 characters can't be edited");
  const deep = "[".repeat(2000) + "]".repeat(2000);
  expect(toCandidates(deep)).toEqual([deep]);
  expect(() => fromEditText(deep)).toThrow("Nested over 100 levels.");
  expect(fromEditText("[".repeat(100) + "]".repeat(100))).toHaveLength(1);
  expect(() => toCandidates(`[${`"${DAY}",`.repeat(7)}1]`)).toThrow("may be of too many types");
});

test("stores a double only with all of its digits", () => {
  const edit = (text: string) => toEditedValue(text, new Double(1), []);
  const kept = [
    "5",
    "-0.10",
    ".5",
    "5.",
    "1e20",
    "1E-7",
    "9007199254740992",
    "1.7976931348623157e+308",
    "NaN",
    "-Infinity",
  ];
  for (const text of kept) expect(edit(text)).toEqual(new Double(Number(text)));
  for (const text of ["1e400", "0x1F", "0b1", "9007199254740993", "0.12345678901234567890", "1e-400"]) {
    expect(() => edit(text)).toThrow(`"${text}" is not of type double.`);
  }
  expect(() => fromEditText('{"$numberDouble": "1e400"}')).toThrow("No double holds 1e400.");
  expect(fromEditText('{"$numberDouble": "Infinity"}')).toEqual(new Double(Number.POSITIVE_INFINITY));
});

test("stores a date only with a day of the calendar", () => {
  const edit = (text: string) => toEditedValue(text, new Date(0), []);
  expect(edit("2028-02-29")).toEqual(new Date("2028-02-29T00:00:00Z"));
  expect(edit("2026-03-01 12:00+02:00")).toEqual(new Date("2026-03-01T10:00:00Z"));
  expect(edit("+012345-06-07T08:09:10Z")).toEqual(new Date("+012345-06-07T08:09:10Z"));
  for (const text of ["2026-02-31", "2026-02-29T12:00:00Z", "2026-13-01", "2026-01-01x"]) {
    expect(() => edit(text)).toThrow(`"${text}" is not of type date.`);
  }
  expect(() => fromEditText('{"$date": "2026-02-31T00:00:00Z"}')).toThrow("is not a day of the calendar");
});

test("writes a text to edit up to its maximum length, whatever the nesting", () => {
  const nested = (levels: number, inner: unknown) =>
    Array.from({ length: levels }).reduce<unknown>((each) => ({ a: each }), inner);
  const values = [nested(90, "x".repeat(5000)), nested(90, Array(100).fill(new Int32(7))), ["x".repeat(79), true]];
  for (const value of values) {
    const text = toEditText(value, 1_000_000);
    expect(fromEditText(text)).toEqual(value);
    expect(toEditText(value, text.length)).toBe(text);
    expect(toEditText(value, text.length - 1)).toBe("");
  }
});

test.each<[name: string, value: unknown, isEditable: boolean]>([
  ["a list nested 100 levels", fromEditText("[".repeat(100) + "]".repeat(100)), true],
  ["a list nested 101 levels", [fromEditText("[".repeat(100) + "]".repeat(100))], false],
  ["values with a type", { a: [new UUID(), new MinKey(), new ObjectId(), new Date(0), null, true] }, true],
  ["a reference", [new DBRef("goods", new ObjectId())], true],
  ["a date beyond JavaScript's years", [new Date(Number.NaN)], false],
  ["a symbol", { a: new BSONSymbol("x") }, false],
  ["code", [new Code("x")], false],
  ["no value", [undefined], false],
  ["an object that reads as another type", { a: { $oid: "x" } }, false],
])("knows whether %s has a text to edit", (_, value, isEditable) => {
  expect([hasEditText(value), toEditText(value, 1_000_000) !== ""]).toEqual([isEditable, isEditable]);
  if (isEditable) expect(fromEditText(toEditText(value, 1_000_000))).toEqual(value);
});

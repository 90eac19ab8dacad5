import { expect, test } from "vitest";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { CHANGED_VALUE_CHARS_MAX, ROW_CHANGES_MAX } from "@/lib/features/query/limits";
import { EditedRows } from "./edited-rows";
import { DEFAULT, hasLongNumber, isNested, RowEdits, toEditText, toPastedBlock } from "./row-edits";
import { AnswerRows } from "./rows-source";

const FIELDS: ResultField[] = [
  { name: "id", type: "int64" },
  { name: "name", type: "string" },
  { name: "limit", type: "decimal" },
];
const ROWS: Record<string, CellValue>[] = [
  { id: 1, name: "Alder", limit: "4000.00" },
  { id: 2, name: null, limit: "900.00" },
];

function open() {
  const edits = new RowEdits();
  return { edits, rows: new EditedRows(new AnswerRows(FIELDS, ROWS), edits, ["id"]) };
}

test("collects changes in the order of their rows, deletions first", () => {
  const { edits, rows } = open();
  rows.set(0, "limit", "6000.00");
  rows.set(0, "name", null);
  const second = rows.loaded(1);
  if (second) edits.delete(second, ["name", "limit"]);
  edits.add([["name", "Rowan"]]);
  rows.set(2, "limit", DEFAULT);
  expect(edits.toChanges()).toEqual([
    { op: "delete", key: { id: "2" }, old: { name: null, limit: "900.00" } },
    {
      op: "update",
      key: { id: "1" },
      old: { limit: "4000.00", name: "Alder" },
      set: { limit: "6000.00", name: null },
      defaults: [],
    },
    { op: "insert", set: { name: "Rowan" } },
  ]);
  expect(edits.counts()).toEqual({ edited: 1, added: 1, deleted: 1, conflicts: 0 });
});

test("shows new values and rows, and marks what they change", () => {
  const { rows } = open();
  rows.set(0, "limit", "6000.00");
  rows.edits.add();
  expect([rows.count, rows.cell(0, 2), rows.cell(2, 0)]).toEqual([3, "6000.00", null]);
  expect(rows.mark(0)?.cell(2)).toEqual({ className: "changed", was: "4000.00" });
  expect([rows.mark(0)?.className, rows.mark(0)?.cell(1), rows.mark(1)]).toEqual(["edited", null, null]);
  expect([rows.mark(2)?.className, rows.mark(2)?.cell(0)?.substitute]).toEqual(["added", "default"]);
  rows.set(1, "limit", null);
  rows.set(0, "limit", DEFAULT);
  expect([rows.cell(1, 2), rows.textAt(1, 2), rows.textAt(0, 2), rows.textAt(2, 0)]).toEqual([
    null,
    null,
    DEFAULT,
    DEFAULT,
  ]);
});

test("drops a change that sets the loaded value, and tells NULL from an empty text", () => {
  const { edits, rows } = open();
  rows.set(1, "name", "");
  expect(edits.toChanges()).toMatchObject([{ old: { name: null }, set: { name: "" } }]);
  rows.set(1, "name", null);
  expect(edits.all).toEqual([]);
});

test("undoes one step at a time", () => {
  const { edits, rows } = open();
  rows.set(0, "name", "a");
  edits.step(() => {
    rows.set(0, "name", "b");
    rows.set(1, "name", "c");
    edits.add([["name", "d"]]);
    rows.set(2, "limit", "1");
  });
  expect([rows.count, rows.cell(2, 1), rows.cell(2, 2)]).toEqual([3, "d", "1"]);
  edits.undo();
  expect([rows.count, rows.cell(0, 1), rows.cell(1, 1)]).toEqual([2, "a", null]);
  edits.undo();
  expect([rows.cell(0, 1), edits.canUndo]).toEqual(["Alder", false]);
});

test("takes as many rows as one submission, or none of a step", () => {
  const { edits } = open();
  const add = (count: number) => edits.step(() => Array.from({ length: count }, () => edits.add()));
  expect([add(ROW_CHANGES_MAX + 1), edits.isEmpty]).toEqual([false, true]);
  expect([add(ROW_CHANGES_MAX), add(1), edits.inserts.length]).toEqual([true, false, ROW_CHANGES_MAX]);
});

test("changes nothing while a submission has no result", () => {
  const { edits, rows } = open();
  rows.set(0, "name", "a");
  edits.submitting(true);
  rows.set(0, "name", "b");
  edits.undo();
  expect([edits.step(() => edits.add()), rows.cell(0, 1), rows.count]).toEqual([false, "a", 2]);
  edits.unansweredId = "lost";
  edits.submitting(false);
  rows.set(0, "name", "b");
  expect(rows.cell(0, 1)).toBe("a");
  edits.clear();
  rows.set(0, "name", "b");
  expect(rows.cell(0, 1)).toBe("b");
});

test("keeps mine on top of the present values", () => {
  const { edits, rows } = open();
  rows.set(0, "limit", "6000.00");
  rows.set(1, "limit", "1.00");
  edits.conflict([
    { change: 0, current: { id: 1, limit: "3500.00" } },
    { change: 1, current: null },
  ]);
  expect([rows.mark(0)?.className, rows.mark(0)?.cell(2)?.className]).toEqual([
    "edited conflicting",
    "changed conflict",
  ]);
  const [mine = "", deleted = ""] = edits.conflicts.keys();
  edits.keepMine(mine);
  edits.keepMine(deleted);
  expect(edits.conflicts.size).toBe(1);
  edits.revert(deleted);
  expect(edits.conflicts.size).toBe(0);
  // Another value for the same cell is on top of the present one, too.
  rows.set(0, "limit", "6001.00");
  expect(edits.toChanges()).toMatchObject([{ key: { id: "1" }, old: { limit: "3500.00" }, set: { limit: "6001.00" } }]);
});

test("gives no id to a row whose key is NULL", () => {
  const edits = new RowEdits();
  const rows = new EditedRows(new AnswerRows(FIELDS, [{ id: null, name: "a", limit: null }]), edits, ["id"]);
  rows.set(0, "name", "b");
  expect([rows.idAt(0), rows.loaded(0), edits.isEmpty]).toEqual([null, null, true]);
});

test("edits a pending JSON value as the text that it is", () => {
  const edits = new RowEdits();
  const fields: ResultField[] = [
    { name: "id", type: "int64" },
    { name: "data", type: "json" },
  ];
  const rows = new EditedRows(new AnswerRows(fields, [{ id: 1, data: { a: 1 } }]), edits, ["id"]);
  expect(rows.textAt(0, 1)).toBe('{"a":1}');
  rows.set(0, "data", '{"a":2}');
  expect(rows.textAt(0, 1)).toBe('{"a":2}');
});

test("edits a text of a document without quotes in a field with lists and objects", () => {
  const fields: ResultField[] = [
    { name: "_id", type: "int64" },
    { name: "mixed", type: "json" },
  ];
  const base = new AnswerRows(fields, [
    { _id: 1, mixed: "text" },
    { _id: 2, mixed: { a: 1 } },
  ]);
  const rows = new EditedRows(base, new RowEdits(), ["_id"], true);
  expect([rows.textAt(0, 1), isNested(rows.cell(0, 1) ?? null)]).toEqual(["text", false]);
  expect(isNested(rows.cell(1, 1) ?? null)).toBe(true);
  expect(new EditedRows(base, new RowEdits(), ["_id"]).textAt(0, 1)).toBe('"text"');
});

test("sends the short values that a copied document was shown with", () => {
  const fields: ResultField[] = ["_id", "name", "long", "none"].map((name) => ({ name, type: "string" }));
  const base = new AnswerRows(fields, [{ _id: "a", name: "Alder", long: "x".repeat(1001), none: null }]);
  const rows = new EditedRows(base, new RowEdits(), ["_id"], true);
  rows.duplicate(0);
  const copy = { op: "insert", key: { _id: "a" }, old: { _id: "a", name: "Alder", none: null }, set: {}, defaults: [] };
  expect(rows.edits.toChanges()).toEqual([copy]);
  rows.set(1, "name", "Rowan");
  expect(rows.edits.toChanges()).toEqual([{ ...copy, old: { _id: "a", none: null }, set: { name: "Rowan" } }]);
});

test("adds fields to documents, also to one whose _id is null, until they are removed", () => {
  const fields: ResultField[] = ["_id", "name"].map((name) => ({ name, type: "string" }));
  const base = new AnswerRows(fields, [{ _id: null, name: "Alder" }]);
  const rows = new EditedRows(base, new RowEdits(), ["_id"], true);
  rows.set(0, "name", "Birch");
  rows.addField(0, "height", "12");
  const change = { op: "update", key: { _id: null }, old: { name: "Alder", height: null }, defaults: [] };
  const set = { name: "Birch", height: "12" };
  expect(rows.edits.toChanges(true)).toEqual([{ ...change, set, exact: ["height"] }]);
  expect([rows.hasField(0, "height"), rows.addedFields(0)]).toEqual([true, [["height", "12"]]]);
  rows.set(0, "height", "13");
  expect(rows.edits.toChanges(true)).toEqual([{ ...change, set: { ...set, height: "13" } }]);
  rows.addField(0, "height", "14");
  rows.edits.removeField(rows.idAt(0) ?? "", "height");
  rows.set(0, "name", "Alder");
  expect(rows.edits.isEmpty).toBe(true);
  rows.edits.add();
  rows.addField(1, "height", "12");
  expect(rows.edits.toChanges(true)).toMatchObject([{ op: "insert", set: { height: "12" }, exact: ["height"] }]);
  // A row of a table has no identity without its key.
  expect(new EditedRows(base, new RowEdits(), ["_id"]).idAt(0)).toBeNull();
});

test("copies the added fields of a stored, a copied and a new document with their types", () => {
  const fields: ResultField[] = ["_id", "name"].map((name) => ({ name, type: "string" }));
  const rows = new EditedRows(new AnswerRows(fields, [{ _id: "a", name: "Alder" }]), new RowEdits(), ["_id"], true);
  rows.addField(0, "height", "12");
  rows.addField(0, "tag", '"tall"');
  rows.duplicate(0);
  rows.duplicate(1);
  const added = { set: { height: "12", tag: '"tall"' }, exact: ["height", "tag"] };
  const copy = { op: "insert", key: { _id: "a" }, old: { _id: "a", name: "Alder" }, ...added };
  expect(rows.edits.toChanges(true)).toMatchObject([{ op: "update", ...added }, copy, copy]);
  expect(rows.addedFields(2)).toEqual(Object.entries(added.set));
  rows.edits.clear();
  // A row of an empty collection may have an added _id, which its copy does not.
  rows.edits.add([["name", "Rowan"]]);
  rows.addField(1, "_id", "1");
  rows.addField(1, "height", "12");
  rows.duplicate(1);
  const fresh = { op: "insert", set: { name: "Rowan", height: "12" }, exact: ["height"] };
  expect(rows.edits.toChanges(true)[1]).toEqual({ ...fresh, objectId: expect.any(String) });
  // An edited text has the type of its column.
  rows.set(2, "height", "13");
  rows.duplicate(2);
  expect(rows.edits.toChanges(true)[2]).toEqual({
    op: "insert",
    set: { name: "Rowan", height: "13" },
    objectId: expect.any(String),
  });
});

test("gives each new document one _id for all submissions", () => {
  const { edits } = open();
  edits.add([["name", "Rowan"]]);
  edits.add();
  const [first, second] = edits.toChanges(true);
  expect(first).toEqual({ op: "insert", set: { name: "Rowan" }, objectId: expect.stringMatching(/^[\da-f]{24}$/) });
  expect(second?.objectId).not.toBe(first?.objectId);
  edits.setNew(edits.inserts[0]?.id ?? "", "name", "Alder");
  expect(edits.toChanges(true)).toEqual([{ ...first, set: { name: "Alder" } }, second]);
});

test("copies rows as they are shown, new ones too", () => {
  const { edits, rows } = open();
  rows.set(0, "name", "Birch");
  edits.add([["name", "Rowan"]]);
  const ask = { format: "tsv" as const, columns: [0, 1], from: 0, to: 3, withHead: false };
  const insert = { table: "t", dialect: "postgres" } as const;
  expect(rows.copyNow({ ...ask, insert })).toBe("1\tBirch\n2\t\n\tRowan");
});

test("parses a block of the clipboard", () => {
  expect(toPastedBlock("a\tb\r\nc\td\n", 4)).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
  expect(toPastedBlock('"two\nlines"\t"say ""hi"""\t', 3)).toEqual([["two\nlines", 'say "hi"', ""]]);
  expect(toPastedBlock("", 1)).toEqual([[""]]);
  expect(toPastedBlock("a\tb\nc", 2)).toBeNull();
  const long = "x".repeat(16 * 1024 * 1024);
  expect(toPastedBlock(`"${long}"`, 1)?.[0]?.[0]?.length).toBe(long.length);
});

test("refuses to edit an _id, JSON with long numbers and long texts", () => {
  const fields = [
    { name: "_id", type: "json" },
    { name: "data", type: "json" },
  ];
  const base = new AnswerRows(fields, [{ _id: "a", data: { big: "9007199254740993" } }]);
  const refusals = (areDocuments: boolean) => {
    const rows = new EditedRows(base, new RowEdits(), ["_id"], areDocuments);
    rows.edits.add();
    const at = (row: number, column: number, text = "text") => rows.refusalAt(row, column, text)?.split(".")[0];
    return [at(0, 0), at(1, 0), at(0, 1), at(1, 1), at(1, 1, "x".repeat(CHANGED_VALUE_CHARS_MAX + 1))];
  };
  const long = "This value is too long to edit here";
  expect(refusals(true)).toEqual(["An _id can't be changed", undefined, undefined, undefined, long]);
  const json = "This JSON has numbers that are shown as text";
  expect(refusals(false)).toEqual([undefined, undefined, json, undefined, long]);
});

test("edits JSON as JSON text, except with numbers that are shown as text", () => {
  expect(toEditText("text", "json")).toBe('"text"');
  expect(toEditText({ a: 1 }, "json")).toBe('{"a":1}');
  expect(toEditText("12.50", "decimal")).toBe("12.50");
  expect(hasLongNumber({ a: ["9007199254740993"] })).toBe(true);
  expect(hasLongNumber({ a: ["12", "x"] })).toBe(false);
  expect(hasLongNumber("9007199254740993")).toBe(false);
});

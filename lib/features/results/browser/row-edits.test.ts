import { expect, test } from "vitest";
import type { CellValue, ResultField } from "@/lib/base/values/json-rows";
import { EditedRows } from "./edited-rows";
import { DEFAULT, hasLongNumber, RowEdits, toEditText, toPastedBlock } from "./row-edits";
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
  expect(rows.mark(0)?.cell("limit")).toEqual({ isDefault: false, old: "4000.00", isConflict: false });
  expect([rows.mark(0)?.cell("name"), rows.mark(1)]).toEqual([null, null]);
  expect([rows.mark(2)?.state, rows.mark(2)?.cell("id")?.isDefault]).toEqual(["added", true]);
});

test("drops a change that sets the loaded value, and tells NULL from an empty text", () => {
  const { edits, rows } = open();
  rows.set(1, "name", "");
  expect(edits.toChanges()).toMatchObject([{ old: { name: null }, set: { name: "" } }]);
  rows.set(1, "name", null);
  expect(edits.all).toEqual([]);
});

test("undoes one change at a time", () => {
  const { edits, rows } = open();
  rows.set(0, "name", "a");
  rows.set(0, "name", "b");
  edits.undo();
  expect(rows.cell(0, 1)).toBe("a");
  edits.undo();
  expect([rows.cell(0, 1), edits.canUndo]).toEqual(["Alder", false]);
});

test("keeps mine on top of the present values, or takes theirs", () => {
  const { edits, rows } = open();
  rows.set(0, "limit", "6000.00");
  rows.set(1, "limit", "1.00");
  edits.conflict([
    { change: 0, current: { id: 1, limit: "3500.00" } },
    { change: 1, current: null },
  ]);
  expect(rows.mark(0)).toMatchObject({ isConflict: true });
  expect(rows.mark(0)?.cell("limit")?.isConflict).toBe(true);
  const [mine = "", theirs = ""] = edits.conflicts.keys();
  edits.keepMine(mine);
  edits.keepMine(theirs);
  expect(edits.conflicts.size).toBe(1);
  edits.takeTheirs(theirs);
  expect(edits.toChanges()).toMatchObject([{ key: { id: "1" }, old: { limit: "3500.00" }, set: { limit: "6000.00" } }]);
  edits.conflict([{ change: 0, current: { id: 1, limit: "7.00" } }]);
  edits.takeTheirs(mine);
  expect([edits.all, rows.cell(0, 2)]).toEqual([[], "7.00"]);
});

test("parses a block of the clipboard", () => {
  expect(toPastedBlock("a\tb\r\nc\td\n")).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
  expect(toPastedBlock('"two\nlines"\t"say ""hi"""\t')).toEqual([["two\nlines", 'say "hi"', ""]]);
  expect(toPastedBlock("")).toEqual([[""]]);
});

test("edits JSON as JSON text, except with numbers that are shown as text", () => {
  expect(toEditText("text", "json")).toBe('"text"');
  expect(toEditText({ a: 1 }, "json")).toBe('{"a":1}');
  expect(toEditText("12.50", "decimal")).toBe("12.50");
  expect(hasLongNumber({ a: ["9007199254740993"] })).toBe(true);
  expect(hasLongNumber({ a: ["12", "x"] })).toBe(false);
  expect(hasLongNumber("9007199254740993")).toBe(false);
});

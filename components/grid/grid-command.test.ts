import { describe, expect, it } from "vitest";
import { type GridKey, type GridState, toGridCommand } from "./grid-command";

const at = (row: number, column: number) => ({ anchor: { row, column }, head: { row, column } });
const state: GridState = {
  range: at(2, 1),
  rowCount: 10,
  columnCount: 3,
  page: 4,
  areLettersOn: true,
  isWalking: false,
  hasLinks: true,
};
const press = (key: string, more: Partial<GridKey> = {}): GridKey => ({
  key,
  code: "",
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  ...more,
});

describe("a key in the grid", () => {
  it.each([
    ["an arrow", press("ArrowDown"), {}, { kind: "select", range: at(3, 1) }],
    ["Alt and an arrow", press("ArrowRight", { altKey: true }), {}, { kind: "move", step: 1 }],
    ["Alt, Shift and an arrow", press("ArrowLeft", { altKey: true, shiftKey: true }), {}, { kind: "resize", step: -1 }],
    ["Alt and P by its place", press("\u03c0", { altKey: true, code: "KeyP" }), {}, { kind: "pin" }],
    ["Shift and F10", press("F10", { shiftKey: true }), {}, { kind: "menu" }],
    ["F", press("f"), {}, { kind: "filter" }],
    ["G", press("g"), {}, { kind: "followLink" }],
    ["Enter", press("Enter"), {}, { kind: "inspect" }],
    ["Enter on a head", press("Enter"), { range: at(-1, 1) }, { kind: "sort" }],
    ["J beside a panel", press("j"), { isWalking: true }, { kind: "select", range: at(3, 1) }],
  ] as [string, GridKey, Partial<GridState>, unknown][])("%s has its command", (_, key, change, command) => {
    expect(toGridCommand(key, { ...state, ...change })).toEqual(command);
  });

  it.each([
    ["Mod and Enter, which runs the statement", press("Enter", { ctrlKey: true }), {}],
    ["Enter without rows", press("Enter"), { rowCount: 0 }],
    ["F for users of speech input", press("f"), { areLettersOn: false }],
    ["G on a head", press("g"), { range: at(-1, 1) }],
    ["G without foreign keys", press("g"), { hasLinks: false }],
    ["J without a panel", press("j"), {}],
    ["Alt and an arrow without columns", press("ArrowRight", { altKey: true }), { columnCount: 0 }],
    ["Alt and another key", press("x", { altKey: true }), {}],
    ["Tab", press("Tab"), {}],
  ] as [string, GridKey, Partial<GridState>][])("%s is left to the page", (_, key, change) => {
    expect(toGridCommand(key, { ...state, ...change })).toBeNull();
  });
});

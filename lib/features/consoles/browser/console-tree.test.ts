import { describe, expect, it } from "vitest";
import { buildConsoleTree } from "@/lib/features/consoles/browser/console-tree";
import type { ConsoleSummary } from "@/lib/features/consoles/schema";
import { type FolderChoice, type FolderState, isInside, listFolderChoices, toLocationText, toTrail } from "@/lib/features/folders/browser/item-tree"; // biome-ignore format: one look
import type { Folder as ConsoleFolder } from "@/lib/features/folders/schema";

const at = "2026-11-21T10:00:00.000Z";
const consoleOf = (id: string, access: "private" | "workspace", folderId: string | null = null): ConsoleSummary => ({
  id,
  path: `${id}.sql`,
  name: `${id}.sql`,
  folderId,
  connectionId: null,
  language: "sql",
  description: "",
  access,
  ownerId: "o",
  version: 1,
  schedule: null,
  lastRun: null,
  createdAt: at,
  updatedAt: at,
});
const folderOf = (id: string, access: "private" | "workspace", parentId: string | null = null): ConsoleFolder => ({
  id,
  name: id,
  path: id,
  parentId,
  access,
  ownerId: "o",
  createdAt: at,
  updatedAt: at,
});
const folders = [
  folderOf("finance", "workspace"),
  folderOf("tax", "workspace", "finance"),
  folderOf("Attic", "private"),
];
const consoles = [
  consoleOf("week-10", "private"),
  consoleOf("week-9", "private"),
  consoleOf("vat", "workspace", "tax"),
  consoleOf("revenue", "workspace", "finance"),
];
const whole = { countOf: () => 0, stateOf: (): FolderState => ({ is: "whole" }) };
const labels = (toggled: Record<string, boolean>) =>
  buildConsoleTree({ consoles, folders, unsaved: [], toggled, ...whole }).map(
    ({ level, label }) => `${" ".repeat(level)}${label}`,
  );

describe("buildConsoleTree", () => {
  it("sorts folders before consoles, numbers in natural order, and keeps closed folders closed", () => {
    expect(labels({})).toEqual(["Private", " Attic", " week-9.sql", " week-10.sql", "Workspace", " finance"]);
    expect(labels({ mine: false, finance: true, tax: true })).toEqual([
      "Private",
      "Workspace",
      " finance",
      "  tax",
      "   vat.sql",
      "  revenue.sql",
    ]);
  });

  it("ends a folder that is not whole with a row, and leaves its size open", () => {
    const stateOf = ({ folderId }: FolderChoice): FolderState => ({ is: folderId === "finance" ? "partial" : "whole" });
    const toggled = { mine: false, finance: true };
    const nodes = buildConsoleTree({ consoles, folders, unsaved: [], toggled, ...whole, stateOf });
    expect(nodes.slice(3).map(({ label, positionInSet, setSize }) => [label, positionInSet, setSize])).toEqual([
      ["tax", 1, -1],
      ["revenue.sql", 2, -1],
      ["Show more", 3, -1],
    ]);
  });

  it("shows unsaved consoles among the person's own", () => {
    const unsaved = [{ id: "u", name: "a.sql", content: "", connectionId: null }];
    const nodes = buildConsoleTree({ consoles: [], folders: [], unsaved, toggled: {}, ...whole });
    expect(nodes.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["mine", null],
      ["u", "mine"],
      ["workspace", null],
    ]);
  });
});

describe("places", () => {
  it("are the two roots and every folder", () => {
    expect(listFolderChoices(folders).map(({ label }) => label)).toEqual([
      "Private",
      "Attic",
      "Workspace",
      "finance",
      "tax",
    ]);
  });

  it("know their contents", () => {
    expect(isInside(folders, "tax", "finance")).toBe(true);
    expect(isInside(folders, "finance", "finance")).toBe(true);
    expect(isInside(folders, "finance", "tax")).toBe(false);
    expect(isInside(folders, null, "tax")).toBe(false);
  });

  it("contain a console", () => {
    expect(toTrail("finance/tax/vat")).toEqual(["finance", "tax"]);
    expect(toTrail("vat")).toEqual([]);
  });

  it("locate an item, which its readers do at the top level", () => {
    expect(toLocationText({ path: "finance/tax/vat", access: "private" })).toBe("finance / tax");
    expect(toLocationText({ path: "vat", access: "private" })).toBe("Private");
    expect(toLocationText({ path: "vat", access: "workspace" })).toBe("Workspace");
  });
});

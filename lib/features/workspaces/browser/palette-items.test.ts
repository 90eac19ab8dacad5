import { describe, expect, it } from "vitest";
import {
  groupPalette,
  type PaletteItem,
  type PaletteKind,
  readPaletteText,
} from "@/lib/features/workspaces/browser/palette-items";

const item = (kind: PaletteKind, name: string, more: Partial<PaletteItem> = {}): PaletteItem => ({
  id: name,
  kind,
  name,
  detail: "",
  ...more,
});
const names = (items: PaletteItem[], search: string) =>
  groupPalette(items, "all", search).flatMap((group) => group.items.map(({ name }) => name));

describe("readPaletteText", () => {
  it("selects a kind by a prefix, and keeps the mode otherwise", () => {
    expect(readPaletteText("> theme", "all")).toEqual({ mode: "actions", search: "theme" });
    expect(readPaletteText("#orders", "all")).toEqual({ mode: "tables", search: "orders" });
    expect(readPaletteText("@ines", "all")).toEqual({ mode: "people", search: "ines" });
    expect(readPaletteText(" refund ", "places")).toEqual({ mode: "places", search: "refund" });
  });
});

describe("groupPalette", () => {
  it("ranks exact names first, then prefixes, parts, and letters in order", () => {
    const items = ["my-week.sql", "weekly-revenue.sql", "week", "w-e-e-k", "none"].map((name) => item("console", name));
    expect(names(items, "week")).toEqual(["week", "weekly-revenue.sql", "my-week.sql", "w-e-e-k"]);
  });

  it("keeps the given order without a search, without tables and people", () => {
    const items = [
      item("console", "b"),
      item("console", "a"),
      item("table", "t"),
      item("person", "p"),
      item("action", "x"),
    ];
    expect(names(items, "")).toEqual(["b", "a", "x"]);
    expect(groupPalette(items, "tables", "").map(({ label }) => label)).toEqual(["Tables"]);
  });

  it("shows text matches below name matches", () => {
    const items = [item("console", "other.sql", { isHit: true }), item("console", "refunds.sql")];
    expect(names(items, "refund")).toEqual(["refunds.sql", "other.sql"]);
  });

  it("starts with the group of the best match", () => {
    const items = [item("console", "a.sql", { isHit: true }), item("connection", "Sample shop")];
    expect(names(items, "sample shop")).toEqual(["Sample shop", "a.sql"]);
  });

  it("offers to create a missing item last, even with a full match", () => {
    const items = [
      item("action", "New console named vat", { isLast: true }),
      item("console", "a.sql", { isHit: true }),
    ];
    expect(names(items, "vat")).toEqual(["a.sql", "New console named vat"]);
  });

  it("finds several words anywhere", () => {
    expect(names([item("console", "vat.sql", { detail: "Finance, Tax" })], "tax vat")).toEqual(["vat.sql"]);
  });
});

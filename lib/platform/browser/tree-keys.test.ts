import { describe, expect, it } from "vitest";
import { findTyped, toTreeStep } from "./tree-keys";
import type { TreeNode } from "./tree-node";

const node = (id: string, parentId: string | null, isExpanded?: boolean) =>
  ({ id, parentId, label: id, isExpanded }) as TreeNode;
const SHOP = node("shop", null, true);
const ORDERS = node("orders", "shop");
const OPTIONS = node("options", "shop", false);
const ITEMS = [SHOP, ORDERS, OPTIONS];

describe("toTreeStep", () => {
  it("opens a closed node to the right and enters an open one", () => {
    expect(toTreeStep("ArrowRight", ITEMS, OPTIONS)).toEqual({ do: "toggle" });
    expect(toTreeStep("ArrowRight", ITEMS, SHOP)).toEqual({ do: "move", to: ORDERS });
    expect(toTreeStep("ArrowRight", ITEMS, ORDERS)).toEqual({ do: "move", to: undefined });
  });

  it("closes an open node to the left and goes to the parent of others", () => {
    expect(toTreeStep("ArrowLeft", ITEMS, SHOP)).toEqual({ do: "toggle" });
    expect(toTreeStep("ArrowLeft", ITEMS, OPTIONS)).toEqual({ do: "move", to: SHOP });
  });

  it("activates leaves and toggles the others", () => {
    expect(toTreeStep("Enter", ITEMS, ORDERS)).toEqual({ do: "activate" });
    expect(toTreeStep(" ", ITEMS, SHOP)).toEqual({ do: "toggle" });
  });

  it("stays at both ends, and ignores letters", () => {
    expect(toTreeStep("ArrowUp", ITEMS, SHOP)).toEqual({ do: "move", to: undefined });
    expect(toTreeStep("ArrowDown", ITEMS, OPTIONS)).toEqual({ do: "move", to: undefined });
    expect(toTreeStep("o", ITEMS, SHOP)).toBeNull();
  });
});

describe("findTyped", () => {
  it("goes to the next match of one letter, round the end", () => {
    expect(findTyped(ITEMS, SHOP, "o")).toBe(ORDERS);
    expect(findTyped(ITEMS, ORDERS, "O")).toBe(OPTIONS);
    expect(findTyped(ITEMS, OPTIONS, "o")).toBe(ORDERS);
  });

  it("stays on the active node while it matches several letters", () => {
    expect(findTyped(ITEMS, ORDERS, "or")).toBe(ORDERS);
    expect(findTyped(ITEMS, ORDERS, "op")).toBe(OPTIONS);
    expect(findTyped(ITEMS, ORDERS, "x")).toBeUndefined();
  });
});

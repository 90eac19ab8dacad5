import type { TreeNode } from "@/lib/platform/browser/tree-node";

/** Effect of a key in a tree. A move without a target stays where it is. */
export type TreeStep<T> =
  | { do: "move"; to: T | undefined }
  | { do: "toggle" | "activate" | "rename" | "remove" | "menu" };

/**
 * Returns what a key does on a node; null for keys of no meaning in a tree.
 * @param items the visible nodes, top to bottom
 */
export function toTreeStep<T extends TreeNode>(key: string, items: readonly T[], active: T): TreeStep<T> | null {
  const at = items.indexOf(active);
  const isLeaf = active.isExpanded === undefined;
  switch (key) {
    case "ArrowDown":
      return { do: "move", to: items[at + 1] };
    case "ArrowUp":
      return { do: "move", to: items[at - 1] };
    case "Home":
      return { do: "move", to: items[0] };
    case "End":
      return { do: "move", to: items.at(-1) };
    case "ArrowRight":
      if (active.isExpanded === false) return { do: "toggle" };
      return { do: "move", to: isLeaf ? undefined : items[at + 1] };
    case "ArrowLeft":
      if (active.isExpanded) return { do: "toggle" };
      return { do: "move", to: items.find(({ id }) => id === active.parentId) };
    case "Enter":
    case " ":
      return { do: isLeaf ? "activate" : "toggle" };
    case "F2":
      return { do: "rename" };
    case "Delete":
      return { do: "remove" };
    case "ContextMenu":
      return { do: "menu" };
    default:
      return null;
  }
}

/** Returns the next node whose label starts with the typed text. A single letter leaves the active node. */
export function findTyped<T extends TreeNode>(items: readonly T[], active: T, text: string): T | undefined {
  const at = items.indexOf(active);
  const typed = text.toLowerCase();
  const start = typed.length === 1 ? at + 1 : at;
  return [...items.slice(start), ...items.slice(0, start)].find(({ label }) => label.toLowerCase().startsWith(typed));
}

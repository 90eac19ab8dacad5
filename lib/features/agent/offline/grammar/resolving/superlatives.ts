import type { Table } from "../../schema";
import type { Item, Modifier } from "../question";
import { isNumberFor, nameOf } from "./columns";
import type { Resolution } from "./resolution";
import { Unresolved } from "./unresolved";

/** "Top 5 by revenue" is a superlative of five rows. */
export function applyTop(resolution: Resolution): void {
  const [top, ...others] = resolution.all("top");
  const [rank, ...ranks] = resolution.all("rank");
  if (!top) return;
  if (others.length > 0 || ranks.length > 0) throw new Unresolved();
  const superlatives = [...resolution.all("most"), ...resolution.all("extreme")];
  const rest = resolution.modifiers.filter(
    (one) => one.kind !== "top" && one.kind !== "rank" && one.kind !== "most" && one.kind !== "extreme",
  );
  const [only] = superlatives;
  if (only && !rank && superlatives.length === 1 && only.limit === 1) {
    resolution.modifiers = [...rest, { ...only, limit: top.limit }];
    return;
  }
  if (!rank || only) throw new Unresolved();
  const { isDescending, limit } = top;
  resolution.modifiers = [...rest, toSuperlative(resolution, rank.by, isDescending, limit)];
}

function toSuperlative(resolution: Resolution, by: Item, isDescending: boolean, limit: number): Modifier {
  const target = resolution.target as Table;
  if (by.kind === "count" && by.entity && "table" in by.entity && !by.isDistinct) {
    return { kind: "most", of: { table: by.entity.table }, isDescending, limit };
  }
  if (by.kind === "aggregate") return { kind: "most", of: { fn: by.fn, column: by.column }, isDescending, limit };
  if (by.kind !== "column" || by.isDistinct) throw new Unresolved();
  const ref = resolution.pick(by.column, isNumberFor("sum"));
  const isGroup = resolution.question.items.some(
    (item) => item.kind === "column" && resolution.pick(item.column).table === ref.table,
  );
  if (resolution.isAbove(target, ref.table) && !isGroup) {
    return { kind: "extreme", column: by.column, adjective: null, isDescending, limit };
  }
  resolution.assume(`I assumed the sum of ${nameOf(ref)}.`);
  return { kind: "most", of: { fn: "sum", column: by.column }, isDescending, limit };
}

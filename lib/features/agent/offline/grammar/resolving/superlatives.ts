import { ROWS_MAX } from "../../plan";
import type { Table } from "../../schema";
import { isMoney, isOfOne, isOfSeveral, isQuantity, isRank, isSold, nameOf } from "../column-facts";
import type { Item, Modifier, ModifierOf } from "../question";
import { isNumberFor } from "./columns";
import { CERTAIN, type Resolution } from "./resolution";
import { Unresolved } from "./unresolved";

/** "Top 5 by revenue" is a superlative of five rows. */
export function applyTop(resolution: Resolution): void {
  const [top, ...others] = resolution.all("top");
  const [rank, ...ranks] = resolution.all("rank");
  if (others.length > 0 || ranks.length > 0) throw new Unresolved();
  const superlatives = [...resolution.all("most"), ...resolution.all("extreme")];
  const rest = resolution.modifiers.filter(
    (one) => one.kind !== "top" && one.kind !== "rank" && one.kind !== "most" && one.kind !== "extreme",
  );
  const [only] = superlatives;
  if (!top) {
    if (!rank) return;
    const ranked = !only ? toSuperlative(resolution, rank.by, true, ROWS_MAX) : null;
    // "Players by age" may start with the youngest.
    if (ranked?.kind !== "most") throw new Unresolved();
    resolution.assume("I assumed that the highest comes first.");
    resolution.modifiers = [...rest, ranked];
    return;
  }
  if (only && !rank && superlatives.length === 1 && only.limit === 1) {
    resolution.modifiers = [...rest, { ...only, limit: top.limit }];
    return;
  }
  if (only) throw new Unresolved();
  const { isDescending, limit } = top;
  const superlative = rank ? toSuperlative(resolution, rank.by, isDescending, limit) : chosenFigure(resolution, top);
  resolution.modifiers = [...rest, superlative];
}

/**
 * Returns the superlative by the figure that a person chose for "top" or "best selling".
 * @throws Unresolved with the figures of the rows, and of those that belong to them
 */
function chosenFigure(resolution: Resolution, { said, isDescending, limit, isSelling }: ModifierOf<"top">): Modifier {
  const target = resolution.target as Table;
  const isPlain = resolution.modifiers.every(({ kind }) => kind === "top" || kind === "conditions");
  if (said === "" || !isPlain || !resolution.question.items.every(({ kind }) => kind === "rows")) {
    throw new Unresolved();
  }
  const { edges } = resolution.schema;
  const figures: { label: string; superlative: Modifier }[] = [];
  const counts: typeof figures = [];
  for (const column of isSelling ? [] : target.columns) {
    if (!isNumberFor("sum")({ table: target, column }) || column.isYear || isRank(column)) continue;
    const name = { options: [{ ref: { table: target, column }, fit: CERTAIN }], said };
    const superlative = { kind: "extreme" as const, column: name, adjective: null, isDescending, limit };
    figures.push({ label: nameOf({ table: target, column }), superlative });
  }
  for (const table of new Set(
    edges.filter(({ from, to }) => to === target && from !== target).map(({ from }) => from),
  )) {
    const sums = table.columns.filter(
      (column) => isQuantity(column) || isSold(column) || (isMoney(column) && !isOfOne({ table, column })),
    );
    for (const column of sums) {
      const name = { options: [{ ref: { table, column }, fit: CERTAIN }], said };
      const of = { fn: "sum" as const, column: name };
      const superlative = { kind: "most" as const, of, isDescending, limit };
      figures.push({ label: `sum of ${nameOf({ table, column })}`, superlative });
    }
    if (isOfSeveral(table) || table.isView || (isSelling && sums.length > 0)) continue;
    const superlative = { kind: "most" as const, of: { table: { table, said } }, isDescending, limit };
    counts.push({ label: `number of rows of ${table.name}`, superlative });
  }
  figures.push(...counts);
  if (figures.length === 0) throw new Unresolved();
  return resolution.choose(said, figures, ({ label }) => label).superlative;
}

function toSuperlative(resolution: Resolution, by: Item, isDescending: boolean, limit: number): Modifier {
  const target = resolution.target as Table;
  if (by.kind === "count" && by.entity && "table" in by.entity && !by.isDistinct) {
    return { kind: "most", of: { table: by.entity.table }, isDescending, limit };
  }
  if (by.kind === "aggregate") return { kind: "most", of: { fn: by.fn, column: by.column }, isDescending, limit };
  if (by.kind !== "column" || by.isDistinct) throw new Unresolved();
  const ref = resolution.pick(by.column, isNumberFor("sum"));
  if (ref.column.isYear) throw new Unresolved();
  const isGroup = resolution.question.items.some(
    (item) => item.kind === "column" && resolution.pick(item.column).table === ref.table,
  );
  if (resolution.isAbove(target, ref.table) && !isGroup) {
    return { kind: "extreme", column: by.column, adjective: null, isDescending, limit };
  }
  if (isOfOne(ref)) throw new Unresolved();
  resolution.assume(`I assumed the sum of ${nameOf(ref)}.`);
  return { kind: "most", of: { fn: "sum", column: by.column }, isDescending, limit };
}

import { emptyPlan, figureAlias, outputsOf, type Plan, type Ref, ROWS_MAX, tableAlias } from "../../plan";
import { displayColumns, type Table } from "../../schema";
import { isNumberOf, isOfSeveral } from "../column-facts";
import type { ModifierOf } from "../question";
import { countedTable, isKeySaid, isNumberFor } from "./columns";
import { displayed, finishPlan } from "./plans";
import { predicatesOf } from "./predicates";
import type { Resolution } from "./resolution";
import { Unresolved } from "./unresolved";

/** Returns the plan of a question for rows by the number, or another figure, of their related rows. */
export function toRankingPlan(resolution: Resolution, modifier: ModifierOf<"most"> | ModifierOf<"having">): Plan {
  const { items } = resolution.question;
  const target = resolution.target as Table;
  const figure = "fn" in modifier.of ? modifier.of : null;
  const figureRef = figure && resolution.pick(figure.column, isNumberFor(figure.fn));
  const counted = figureRef?.table ?? (countedTable(modifier) as Table);
  // "Train stations" may be stations rather than the rows of `train_station`.
  if (!figure && resolution.isLink(counted)) throw new Unresolved();
  // "The party with the most hosts" may be the one with the largest `number_of_hosts`.
  if (!figure && target.columns.some((column) => isNumberOf(column, counted))) throw new Unresolved();
  if (resolution.all("groups").length > 0 || resolution.all("extreme").length > 0 || resolution.all("order").length > 0)
    throw new Unresolved();
  const isCount = items.length === 1 && items[0]?.kind === "count";
  // "And their number" is the figure that is compared.
  const columnItems = items.filter(
    (item) => item.kind !== "count" || (item.entity && "table" in item.entity && item.entity.table.table !== counted),
  );
  const isWhole = items.every(({ kind }) => kind === "rows");
  if (!isCount && !isWhole && columnItems.some(({ kind }) => kind !== "column")) throw new Unresolved();
  if (isCount && modifier.kind === "most") throw new Unresolved();
  // Groups without rows have fewer than any number, and no group shows them.
  if (modifier.kind === "having" && (modifier.op === "<>" || (modifier.op === "=" && modifier.value === 0))) {
    throw new Unresolved();
  }
  if (modifier.kind === "having" && /^<=?$/.test(modifier.op)) {
    if (isCount) throw new Unresolved();
    resolution.assume(`I assumed that those without ${counted.name} are left out.`);
  }
  const [count] = items;
  const values =
    isCount && count?.kind === "count" && count.entity && "column" in count.entity ? count.entity.column : null;
  const asked = values
    ? [values]
    : isWhole || isCount
      ? null
      : items.flatMap((item) => (item.kind === "column" ? [item.column] : []));
  // A column of the counted rows is a separate group: "which nationality has the most singers".
  const refs = asked?.map((column) => resolution.pick(column)) ?? null;
  const isKey = (ref: Ref, i: number) => resolution.isReference(ref) && !(asked?.[i] && isKeySaid(asked[i]));
  // A key stands for a row that has a name.
  if (refs?.some(isKey)) throw new Unresolved();
  const isColumn = refs?.every(({ table }) => table === counted) ?? false;
  const base = isColumn || target === counted ? counted : rowsBetween(resolution, target, counted);
  if (figure && base !== counted) throw new Unresolved();
  resolution.from = base;
  if (target === counted && !isColumn) throw new Unresolved();
  // A column without its table is the group itself: "which type code is used by the most documents".
  const isGroup = isColumn || (refs !== null && !resolution.mentioned.has(target));
  // "Authors who have several reviews": one row of the table may not be one author.
  const isTelling = refs?.some(({ table, column }) => column.isKey || displayColumns(table).includes(column)) ?? true;
  if (!isGroup && !isTelling) throw new Unresolved();
  const keys = isGroup ? [] : target.columns.filter(({ isKey }) => isKey);
  if (!isGroup && keys.length === 0) throw new Unresolved();
  // A row with a count stands for several.
  if (figure?.fn !== "sum" && isOfSeveral(counted)) throw new Unresolved();
  const shown = refs ?? (isWhole ? displayed(target) : keys.map((column) => ({ table: target, column })));
  for (const { table } of shown) {
    if (!isColumn && !resolution.isAbove(target, table)) throw new Unresolved();
    resolution.join(table);
  }
  const outputs = outputsOf(shown);
  const alias = figure && figureRef ? figureAlias(figure.fn, figureRef) : `${tableAlias(counted)}_count`;
  if (!figure) resolution.assume(`I assumed that each row of ${base.name} counts, also if its values repeat.`);
  if (modifier.kind === "most" && modifier.limit === ROWS_MAX)
    resolution.assume(`I assumed that ${target.name} without ${counted.name} are left out.`);
  return finishPlan(resolution, {
    ...emptyPlan(base),
    where: predicatesOf(resolution),
    hiddenKeys: keys.map((column) => ({ table: target, column })),
    outputs,
    measures: [figure && figureRef ? { alias, fn: figure.fn, ref: figureRef } : { alias, fn: "count" }],
    having:
      modifier.kind === "having"
        ? [{ measure: 0, op: modifier.op === "<>" ? "=" : modifier.op, value: modifier.value }]
        : [],
    order: modifier.kind === "most" ? [{ alias, isDescending: modifier.isDescending }] : [],
    limit: modifier.kind === "most" ? modifier.limit : ROWS_MAX,
    withTies: modifier.kind === "most" && resolution.hasTies(modifier.limit),
    countedAs: isCount ? `${values ? (refs?.[0]?.column.name ?? "") : tableAlias(target)}_count` : null,
  });
}

/** Returns the table whose rows belong to one target each, and stand for the counted rows. */
function rowsBetween(resolution: Resolution, target: Table, counted: Table): Table {
  if (resolution.isAbove(counted, target)) {
    resolution.path(counted, target);
    return counted;
  }
  const between = resolution.schema.tables.filter(
    (each) =>
      each !== target &&
      each !== counted &&
      resolution.schema.edges.some(({ from, to }) => from === each && to === target) &&
      resolution.schema.edges.some(({ from, to }) => from === each && to === counted),
  );
  const [only] = between;
  if (!only || between.length > 1) throw new Unresolved();
  resolution.path(only, target);
  return only;
}

import type { Ref } from "../../plan";
import type { Table } from "../../schema";
import { nameOf } from "../column-facts";
import type { ColumnName } from "../names";
import { countedTable, isNumberFor } from "./columns";
import type { Resolution } from "./resolution";
import { Unresolved } from "./unresolved";

/**
 * Returns the table whose rows a question asks for.
 * @throws Unresolved if it may be several
 */
export function findTarget(resolution: Resolution): Table {
  const { items } = resolution.question;
  const modifiers = resolution.modifiers;
  for (const item of items) {
    if (item.kind === "column" && item.owner) resolution.mentioned.add(item.owner.table);
    if (item.kind === "display") resolution.mentioned.add(item.table.table);
    if (item.kind === "rows") resolution.mentioned.add(item.table.table);
    if (item.kind === "count" && item.entity && "table" in item.entity)
      resolution.mentioned.add(item.entity.table.table);
  }
  for (const modifier of modifiers) {
    if (modifier.kind === "scope") resolution.mentioned.add(modifier.table.table);
    if (modifier.kind === "groups") {
      for (const entity of modifier.entities) if ("table" in entity) resolution.mentioned.add(entity.table.table);
    }
  }
  const rows = items.find((item) => item.kind === "rows");
  if (rows) return rows.table.table;
  const [part] = items.filter((item) => item.kind === "ratio" || item.kind === "moment");
  if (part) return part.table.table;
  const [scope] = resolution.all("scope");
  const countItem = items.find((item) => item.kind === "count" && item.entity && "table" in item.entity);
  if (countItem?.kind === "count" && countItem.entity && "table" in countItem.entity) {
    return countItem.entity.table.table;
  }
  if (scope) return scope.table.table;
  const groupTable = resolution
    .all("groups")
    .flatMap(({ entities }) => entities)
    .find((entity) => "table" in entity);
  const named = items.flatMap((item) =>
    item.kind === "column" || item.kind === "aggregate"
      ? [item.column]
      : item.kind === "count" && item.entity && "column" in item.entity
        ? [item.entity.column]
        : [],
  );
  const columns = named.map((column) => ({
    ...column,
    options: [...resolution.chosenOf(column.said, column.options, ({ ref }) => nameOf(ref))],
  }));
  if (columns.length === 0) throw new Unresolved();
  const tables = resolution.schema.tables
    .map((table) => ({ table, fit: fitIn(table, columns) }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.fit - a.fit);
  const [best, second] = tables;
  const owners = items.flatMap((item) => (item.kind === "column" && item.owner ? [item.owner.table] : []));
  const lowest = owners.find((low) => owners.every((owner) => resolution.isAbove(low, owner)));
  if (lowest) return lowest;
  const ranked = rankedTable(resolution, tables);
  if (ranked) return ranked;
  const equal = tables.filter(({ fit }) => fit === best?.fit).map(({ table }) => table);
  // A view repeats what its tables have.
  const real = equal.filter(({ isView }) => !isView);
  const tied = real.length > 0 ? real : equal;
  if (tied.length === 1 && tied[0]) return tied[0];
  // A key is that of the rows which it identifies.
  const isValues = resolution.question.isDistinct || items.some(({ kind }) => kind === "count");
  const keyed = isValues
    ? undefined
    : tied.find((table) =>
        tied.every((other) => other === table || columns.every((column) => isKeyOf(resolution, column, other, table))),
      );
  if (best && keyed) {
    if (second?.fit === best.fit) resolution.assume(`I assumed that “${columns[0]?.said}” are those of ${keyed.name}.`);
    return keyed;
  }
  const [ranking] = [...resolution.all("most"), ...resolution.all("having")];
  const counted = ranking && countedTable(ranking);
  if (counted && tied.includes(counted)) return counted;
  if (!best) {
    if (groupTable && "table" in groupTable) return groupTable.table.table;
    throw new Unresolved();
  }
  if (second && second.fit === best.fit) {
    const said = columns[0]?.said ?? "";
    const own = tied.filter((table) => isAnswerable(resolution, table, (from, to) => from === to));
    const fitting =
      own.length === 1
        ? own
        : tied.filter((table) => isAnswerable(resolution, table, (a, b) => resolution.isAbove(a, b)));
    const [only, ...others] = fitting;
    if (!only) throw new Unresolved();
    // The same columns in two tables: only a filter or a group may tell which one is meant.
    if (others.length > 0) {
      const [first] = columns;
      const refs = first?.options.filter(({ ref }) => fitting.includes(ref.table)) ?? [];
      return resolution.choose(said, refs, ({ ref }) => nameOf(ref)).ref.table;
    }
    resolution.assume(`I assumed the ${said} of ${only.name}.`);
    return only;
  }
  return best.table;
}

/** Returns the only table that has both the values and the number that ranks them: "categories by margin". */
function rankedTable(resolution: Resolution, tables: readonly { table: Table; fit: number }[]): Table | null {
  const by = resolution.all("rank")[0]?.by;
  if (by?.kind !== "column" && by?.kind !== "aggregate") return null;
  const options = by.column.options.filter(({ ref }) => isNumberFor("sum")(ref));
  // Without a choice of numbers, the tables of the values tell more.
  const found = tables.filter(
    ({ table, fit }) => fit === tables[0]?.fit && options.some(({ ref }) => ref.table === table),
  );
  const [only, ...others] = found;
  return only && others.length === 0 ? only.table : null;
}

/** Whether a column of one table references the same column of the other. */
function isKeyOf(resolution: Resolution, name: ColumnName, from: Table, to: Table): boolean {
  const columnOf = (table: Table) => name.options.find(({ ref }) => ref.table === table)?.ref.column;
  const [a, b] = [columnOf(from), columnOf(to)];
  return resolution.schema.edges.some(
    (edge) => edge.from === from && edge.to === to && edge.fromColumns[0] === a?.name && edge.toColumns[0] === b?.name,
  );
}

/** Whether the groups and conditions of a question can be those of a table's rows, or of the rows that these reach. */
function isAnswerable(resolution: Resolution, table: Table, reaches: (from: Table, to: Table) => boolean): boolean {
  const isTimed = table.columns.some(({ kind, isYear }) => kind === "date" || isYear);
  const isReached = (refs: readonly { ref: Ref }[]) => refs.some(({ ref }) => reaches(table, ref.table));
  const conditions = resolution.all("conditions").flatMap((one) => one.conditions);
  const entities = resolution.all("groups").flatMap((one) => one.entities);
  return (
    entities.every((entity) => {
      if ("table" in entity) return entity.table.table !== table && reaches(table, entity.table.table);
      return entity.column === null ? isTimed : isReached(entity.column.options);
    }) &&
    conditions.every((condition) => {
      if (condition.kind === "either") return false;
      if (condition.column && !isReached(condition.column.options)) return false;
      if (condition.kind === "values") return condition.values.every(({ hits }) => isReached(hits));
      return condition.column !== null || isTimed || (condition.kind !== "date" && condition.kind !== "years");
    })
  );
}

function fitIn(table: Table, columns: readonly ColumnName[]): number {
  const fits = columns.map(({ options }) =>
    Math.max(0, ...options.filter(({ ref }) => ref.table === table).map(({ fit }) => fit)),
  );
  return fits.some((fit) => fit === 0) ? 0 : fits.reduce((sum, fit) => sum + fit, 0);
}

import { GRAIN_NOUNS, type Grain } from "../../dates";
import { emptyPlan, figureAlias, type Measure, outputsOf, type Plan, type Ref, ROWS_MAX, tableAlias } from "../../plan";
import { displayColumns, type Table } from "../../schema";
import { nameWords } from "../../words";
import { isMoney, isMoneyNoun, isOfOne, isQuantity, isRank, nameOf, repeatedName } from "../column-facts";
import type { ColumnName, TableName } from "../names";
import type { Item } from "../question";
import { isFigure, isKeySaid, isNumberFor } from "./columns";
import { timeColumn } from "./implied-columns";
import { finishPlan } from "./plans";
import { predicatesOf } from "./predicates";
import { CERTAIN, type Resolution } from "./resolution";
import { Unresolved } from "./unresolved";

/** Returns the plan of a question for counts and other figures, perhaps of groups. */
export function toFigurePlan(resolution: Resolution): Plan {
  const { items } = resolution.question;
  const modifiers = resolution.modifiers;
  const target = resolution.target as Table;
  const groupEntities = resolution.all("groups").flatMap(({ entities }) => entities);
  const figures: Item[] = items.filter(({ kind }) => kind === "count" || kind === "aggregate" || kind === "share");
  // "Revenue by month" sums up.
  const summed = figures.length === 0 ? summedItem(resolution) : null;
  if (summed) figures.push(summed);
  const [rows] = items;
  if (rows?.kind === "rows" && items.length === 1 && groupEntities.length > 0) {
    // "Revenue by month" counts no rows of `daily_revenue`.
    if (rows.table.isPart) throw new Unresolved();
    // "Expenses by category" are rather amounts.
    const isTotal = isMoneyNoun(rows.table.table);
    if (!isTotal) resolution.assume(`I assumed the number of ${rows.table.table.name}.`);
    figures.push({ kind: "count", entity: { table: rows.table }, isDistinct: false, isTotal });
  }
  const plainItems = items.filter(
    (item): item is Extract<Item, { kind: "column" }> => item.kind === "column" && !summed,
  );
  if (items.some(({ kind }) => kind === "display") || figures.length === 0) throw new Unresolved();
  // "Names of singers and the sales of their songs" are one row for each singer.
  const [owned, ...rest] = plainItems;
  if (
    owned?.owner &&
    groupEntities.length === 0 &&
    rest.every(({ owner }) => !owner || owner.table === owned.owner?.table)
  ) {
    groupEntities.push({ table: owned.owner });
  }
  const [extreme] = resolution.all("extreme");
  const isTop = extreme?.column === null && extreme.adjective === null;
  if (extreme && !isTop) throw new Unresolved();
  resolution.from = baseOf(resolution, figures, target);
  const groupTables = groupEntities.flatMap((entity) => ("table" in entity ? [entity.table.table] : []));
  // "Singers of each concert" are the rows between both.
  for (const table of groupTables) {
    if (resolution.isAbove(resolution.from, table)) continue;
    const between = resolution.schema.tables.filter(
      (each) => resolution.isAbove(each, table) && resolution.isAbove(each, resolution.from as Table) && each !== table,
    );
    const isCount = figures.every((item) => item.kind === "count" && !item.isDistinct);
    const direct = between.filter((each) => resolution.path(each, table).length === 1);
    if (!isCount || direct.length !== 1 || !direct[0]) throw new Unresolved();
    resolution.assume(`I assumed that each row of ${direct[0].name} is a different one of ${resolution.from.name}.`);
    resolution.from = direct[0];
  }
  const refs: Ref[] = plainItems.map(({ column }) => {
    const isGrouped = groupTables.length > 0;
    const isOfGroup = isGrouped && column.options.some(({ ref }) => groupTables.includes(ref.table));
    const ref = resolution.pick(column, ({ table }) => !isOfGroup || groupTables.includes(table));
    // Beside the name of a group, a column of the counted rows is a second group.
    if (isGrouped && !isOfGroup && ref.table === resolution.from) throw new Unresolved();
    // The key of the group, not the one that references it.
    const edge = resolution.schema.edges.find(
      ({ from, to, fromColumns }) =>
        from === ref.table && groupTables.includes(to) && fromColumns[0] === ref.column.name,
    );
    const key = edge?.to.columns.find(({ name }) => name === edge.toColumns[0]);
    return edge && key ? { table: edge.to, column: key } : ref;
  });
  const hiddenKeys: Ref[] = [];
  const times: { grain: Grain; ref: Ref }[] = [];
  for (const entity of groupEntities) {
    if ("grain" in entity) {
      times.push({ grain: entity.grain, ref: groupTime(resolution, entity.grain, entity.column) });
      continue;
    }
    if ("column" in entity) {
      const ref = resolution.pick(entity.column);
      // "Products by price" are in order rather than counted.
      if (rows?.kind === "rows" && ref.column.kind === "number" && !ref.column.isReference && !ref.column.isYear)
        throw new Unresolved();
      // A key stands for a row that has a name.
      if (resolution.isReference(ref) && !isKeySaid(entity.column)) throw new Unresolved();
      if (!refs.some((each) => each.column === ref.column)) refs.push(ref);
      continue;
    }
    const { table } = entity.table;
    if (table === resolution.from) throw new Unresolved();
    resolution.assume(`I assumed that ${table.name} without ${resolution.from.name} are left out.`);
    const keys = table.columns.filter(({ isKey }) => isKey).map((column): Ref => ({ table, column }));
    hiddenKeys.push(...keys);
    if (!refs.some((ref) => ref.table === table))
      refs.push(...displayColumns(table).map((column) => ({ table, column })));
  }
  if (plainItems.length > 0 && groupEntities.length === 0 && !isTop) {
    // A column beside a figure groups by the column.
    const isDifferent = plainItems.every(({ isDistinct }) => isDistinct);
    if (!isDifferent && !modifiers.some(({ kind }) => kind === "groups")) throw new Unresolved();
  }
  // "The type of school for each type" is one row for each type.
  const isValueGroup = (table: Table) =>
    groupEntities.some(
      (entity) => "column" in entity && entity.column && resolution.pick(entity.column).table === table,
    );
  for (const { table } of plainItems.map(({ column }) => resolution.pick(column))) {
    if (!resolution.mentioned.has(table) || isValueGroup(table)) continue;
    const keys = table === resolution.from ? [] : table.columns.filter(({ isKey }) => isKey);
    for (const column of keys) if (!hiddenKeys.some((key) => key.column === column)) hiddenKeys.push({ table, column });
  }
  for (const ref of refs) {
    if (!resolution.isAbove(resolution.from, ref.table)) throw new Unresolved();
    resolution.join(ref.table);
  }
  const outputs = outputsOf(refs);
  for (const { grain, ref } of times) {
    resolution.join(ref.table);
    outputs.unshift({ alias: grain, kind: "time", ref, grain });
  }
  if (times.length > 1 || outputs.some(({ alias }, i) => outputs.findIndex((one) => one.alias === alias) !== i)) {
    throw new Unresolved();
  }
  // The average per month of a row for each day may be one of days or of months.
  const isPeriodic = resolution.from.columns.some(
    ({ kind, name }) => kind === "date" && name.toLowerCase() in GRAIN_NOUNS,
  );
  const isTimed = times.length > 0 || refs.some(({ column }) => column.kind === "date");
  if (isPeriodic && isTimed && figures.some((item) => item.kind === "aggregate" && item.fn === "avg"))
    throw new Unresolved();
  const measures = figures.map((item, i) => toMeasure(resolution, item, i));
  const where = predicatesOf(resolution);
  if (outputs.length > 0 && where.some(({ kind }) => kind === "exists")) throw new Unresolved();
  // "For each one" has no group here.
  if (outputs.length === 0 && resolution.all("groups").length > 0) throw new Unresolved();
  const [order] = resolution.all("order");
  if (order && outputs.length === 0) throw new Unresolved();
  let sorted: Plan["order"] = [];
  if (order) {
    const by = order.by;
    const alias =
      by === "figure"
        ? measures[0]?.alias
        : by?.kind === "column"
          ? outputs.find(({ ref }) => isSorting(resolution, ref, resolution.pick(by.column)))?.alias
          : by === null
            ? outputs.length === 1
              ? outputs[0]?.alias
              : undefined
            : measures[figures.findIndex((item) => item.kind === by.kind)]?.alias;
    if (alias === undefined) throw new Unresolved();
    sorted = [{ alias, isDescending: order.isDescending ?? false }];
  } else if (times[0]) sorted = [{ alias: times[0].grain, isDescending: false }];
  else if (!isTop) sorted = toUsualOrder(outputs, measures);
  return finishPlan(resolution, {
    ...emptyPlan(resolution.from),
    where,
    outputs,
    hiddenKeys,
    measures,
    order: sorted,
    limit: outputs.length === 0 ? null : isTop ? extreme.limit : ROWS_MAX,
  });
}

/**
 * Returns the order in which people read groups: days in turn, and others from the largest. Databases differ in where a
 * group without a figure belongs, so such groups stay unordered.
 */
function toUsualOrder(outputs: Plan["outputs"], measures: Plan["measures"]): Plan["order"] {
  const [first] = outputs;
  const [lead] = measures;
  if (!first || !lead) return [];
  const byName = { alias: first.alias, isDescending: false };
  if (first.ref.column.kind === "date") return [byName];
  const isFilled = lead.fn === "count" || lead.fn === "countDistinct" || ("ref" in lead && !lead.ref.column.nullable);
  return isFilled ? [{ alias: lead.alias, isDescending: true }, byName] : [];
}

/** Whether a shown column is the one that sorts, or references it. */
function isSorting(resolution: Resolution, shown: Ref, by: Ref): boolean {
  return shown.column === by.column || resolution.isSameKey(shown, by);
}

/** Whether only a part of a table's name was said, which is the whole name of a column. */
function isColumnToo({ schema }: Resolution, { table, said, isPart }: TableName): boolean {
  const name = nameWords(said).join();
  return (
    isPart === true &&
    schema.tables.some((each) =>
      // The key of a row stands for the row.
      each.columns.some(
        ({ words, kind, isKey }) => kind === "text" && words.join() === name && !(isKey && each === table),
      ),
    )
  );
}

/** Whether a question asks for one number of a time, such as "revenue last year". */
export function isSumOfTime(resolution: Resolution): boolean {
  const [item, ...others] = resolution.question.items;
  const conditions = resolution.all("conditions").flatMap((one) => one.conditions);
  return (
    item?.kind === "column" &&
    others.length === 0 &&
    !item.owner &&
    !/s$/i.test(item.column.said) &&
    resolution.modifiers.every(({ kind }) => kind === "conditions") &&
    conditions.length > 0 &&
    conditions.every((one) => one.kind === "date" && one.column === null) &&
    item.column.options.every(({ ref }) => isNumberFor("sum")(ref))
  );
}

/** A number that is asked for by a group or a time is summed. */
function summedItem(resolution: Resolution): Item | null {
  const [item, ...others] = resolution.question.items;
  if (item?.kind !== "column" || others.length > 0 || item.isDistinct) return null;
  const ref = resolution.pick(item.column, isNumberFor("sum"));
  if (ref.column.isYear || isOfOne(ref)) throw new Unresolved();
  resolution.assume(`I assumed the sum of ${nameOf(ref)}.`);
  return { kind: "aggregate", fn: "sum", column: item.column };
}

/** Returns the time by which rows are grouped. */
function groupTime(resolution: Resolution, grain: Grain, column: ColumnName | null): Ref {
  const ref = column
    ? resolution.pick(column, ({ column: { kind } }) => kind === "date")
    : timeColumn(resolution, grain === "year");
  if (ref.column.kind !== "date" && !(grain === "year" && ref.column.isYear)) throw new Unresolved();
  if (!column) resolution.assume(`I assumed the time of ${nameOf(ref)}.`);
  return ref;
}

/** Returns the table whose rows are counted or summed. */
function baseOf(resolution: Resolution, figures: readonly Item[], target: Table): Table {
  const tables = figures.flatMap((item) => {
    if (item.kind === "aggregate") return [resolution.pick(item.column, isNumberFor(item.fn)).table];
    if (item.kind !== "count" || item.entity === null) return [target];
    return ["table" in item.entity ? item.entity.table.table : resolution.pick(item.entity.column).table];
  });
  const [first] = tables;
  if (!first || tables.some((table) => table !== first)) throw new Unresolved();
  // The "amount of orders" is none of their refunds.
  const isOf = resolution.all("scope").some(({ table }) => table.table === target);
  const isBelow = first !== target && resolution.isAbove(first, target) && !resolution.mentioned.has(first);
  if (isOf && isBelow && resolution.all("conditions").length === 0) throw new Unresolved();
  return first;
}

/**
 * Returns the number that "total refunds" or "how many items" may mean instead of rows, if a person chose it.
 * @throws Unresolved with the choice
 */
function summedInstead(resolution: Resolution, item: Extract<Item, { kind: "count" }>, table: Table): Ref | null {
  if (!item.entity) return null;
  const quantities = table.columns.filter(isQuantity);
  const amounts = item.isTotal ? table.columns.filter((column) => isMoney(column) && !isOfOne({ table, column })) : [];
  const said = "table" in item.entity ? item.entity.table.said : table.name;
  const isAmount = amounts.length > 0 && isMoneyNoun(table);
  if (quantities.length === 0 && !isAmount) {
    const not = amounts.map((column) => `, not the sum of ${nameOf({ table, column })}`).join("");
    if (item.isTotal) resolution.assume(`I assumed the number of ${table.name}${not}.`);
    return null;
  }
  if (table !== resolution.from) throw new Unresolved();
  const rows = `number of rows of ${table.name}`;
  const sums = [...quantities, ...amounts].map((column) => ({ column, label: `sum of ${nameOf({ table, column })}` }));
  const chosen = resolution.choose(said, [rows, ...sums.map(({ label }) => label)], (label) => label);
  const column = sums.find(({ label }) => label === chosen)?.column;
  return column ? { table, column } : null;
}

/** Whether a name is the whole name of a column. */
function isWholeName({ options }: ColumnName, { column }: Ref): boolean {
  return (options.find(({ ref }) => ref.column === column)?.fit ?? 0) >= CERTAIN;
}

function toMeasure(resolution: Resolution, item: Item, place: number): Measure {
  const suffix = place === 0 ? "" : `_${place + 1}`;
  if (item.kind === "share") {
    // "Share of paid orders by channel" may be a part of the paid ones or of all.
    if (resolution.all("conditions").length > 0 || place > 0) throw new Unresolved();
    return { alias: "share", fn: "share", where: null };
  }
  if (item.kind === "aggregate") {
    const ref = resolution.pick(item.column, isNumberFor(item.fn));
    // The highest rank is the lowest number.
    if (item.fn !== "avg" && isRank(ref.column)) throw new Unresolved();
    return { alias: `${figureAlias(item.fn, ref)}${suffix}`, fn: item.fn, ref };
  }
  if (item.kind !== "count") throw new Unresolved();
  if (item.entity && "column" in item.entity) {
    const ref = resolution.pick(item.entity.column);
    if (!item.isDistinct) {
      // "How many countries" of a column counts its values.
      if (ref.column.kind !== "text" && !ref.column.isReference) throw new Unresolved();
      // "How many tests" counts no results of tests.
      if (!isWholeName(item.entity.column, ref)) throw new Unresolved();
      const where = resolution.all("conditions").flatMap(({ conditions }) => conditions);
      if (where.some((each) => "column" in each && each.column?.options.some((one) => one.ref.column === ref.column)))
        throw new Unresolved();
      // The values of a far table may be repeated by the rows between.
      if (ref.table !== resolution.from) throw new Unresolved();
      // "How many cities" may be the different ones, or those of all rows.
      const rows = `rows of ${ref.table.name}`;
      const values = `different ${nameOf(ref)}`;
      const chosen = resolution.choose(item.entity.column.said, [values, rows], String, "repeat");
      if (chosen === rows) return { alias: `${tableAlias(ref.table)}_count${suffix}`, fn: "count" };
    }
    return { alias: `${ref.column.name}_count${suffix}`, fn: "countDistinct", ref };
  }
  // "Monthly revenue" counts no rows of `daily_revenue`.
  if (item.entity && "table" in item.entity && isFigure(item.entity.table)) throw new Unresolved();
  // "Allergies" may be the values of a column rather than the rows of `has_allergy`.
  if (item.entity && "table" in item.entity && isColumnToo(resolution, item.entity.table)) throw new Unresolved();
  const table = item.entity && "table" in item.entity ? item.entity.table.table : (resolution.from as Table);
  // "Train stations" may be stations rather than the rows of `train_station`, between trains and stations.
  if (item.entity && resolution.isLink(table)) throw new Unresolved();
  const values = resolution.valuesInstead(table);
  if (values) {
    if (table !== resolution.from) throw new Unresolved();
    return { alias: `${values.column.name}_count${suffix}`, fn: "countDistinct", ref: values };
  }
  const sum = summedInstead(resolution, item, table);
  if (sum) return { alias: `${figureAlias("sum", sum)}${suffix}`, fn: "sum", ref: sum };
  if (item.isDistinct && table !== resolution.from) throw new Unresolved();
  if (item.isDistinct) resolution.assume(`I assumed that each row of ${table.name} is a different one.`);
  // "Different customers per month" are those that did something.
  const isTimed = resolution.all("groups").some(({ entities }) => entities.some((entity) => "grain" in entity));
  if (item.isDistinct && isTimed) throw new Unresolved();
  const repeated = repeatedName(table);
  if (repeated && !item.isDistinct) {
    const values = `different ${repeated.name}`;
    const chosen = resolution.choose(table.name, [values, `rows of ${table.name}`], String, "repeat");
    if (chosen === values) {
      if (table !== resolution.from) throw new Unresolved();
      return { alias: `${repeated.name}_count${suffix}`, fn: "countDistinct", ref: { table, column: repeated } };
    }
  }
  if (item.entity === null && resolution.all("extreme").length > 0)
    resolution.assume(`I assumed that each row of ${table.name} counts.`);
  if (!table.columns.some(({ isKey }) => isKey))
    resolution.assume(`I assumed that each row of ${table.name} counts, since the table has no key.`);
  return { alias: `${tableAlias(table)}_count${suffix}`, fn: "count" };
}

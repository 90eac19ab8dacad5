import { addOutput, emptyPlan, outputsOf, type Plan, type Ref, ROWS_MAX } from "../../plan";
import { displayColumns, type Table } from "../../schema";
import { isPlural, nameWords } from "../../words";
import { nameOf, repeatedName } from "../column-facts";
import { isFigure, isKeySaid } from "./columns";
import { extremeOf } from "./implied-columns";
import { displayed, finishPlan } from "./plans";
import { predicatesOf } from "./predicates";
import { listRelated } from "./related-rows";
import type { Resolution } from "./resolution";
import { Unresolved } from "./unresolved";

/** Returns the plan of a question for rows or their columns. */
export function toListPlan(resolution: Resolution): Plan {
  const { items } = resolution.question;
  let { isDistinct } = resolution.question;
  const target = resolution.target as Table;
  resolution.from = target;
  const isWhole = items.every(({ kind }) => kind === "rows");
  const values = isWhole ? resolution.valuesInstead(target) : null;
  if (values) isDistinct = true;
  // "Revenue last year" asks for no rows of `daily_revenue`.
  if (items.some((item) => item.kind === "rows" && isFigure(item.table))) throw new Unresolved();
  const refs = values
    ? [values]
    : isWhole
      ? displayed(target)
      : items.flatMap((item) =>
          item.kind === "column"
            ? [resolution.pick(item.column)]
            : item.kind === "display"
              ? nameColumns(resolution, item.table.table)
              : [],
        );
  if (!isWhole && items.some(({ kind }) => kind !== "column" && kind !== "display")) throw new Unresolved();
  // "All product categories" may be rows or values.
  const [only] = refs;
  const isOpen = refs.length === 1 && !isDistinct && !isWhole;
  const hasFilter = resolution.modifiers.some(({ kind }) => kind !== "scope");
  if (isOpen && !hasFilter && only?.column.kind === "text" && !displayColumns(only.table).includes(only.column)) {
    throw new Unresolved();
  }
  if (!isWhole) checkSharedWords(resolution, refs);
  // "Invoices due next week" asks for no days.
  const isTimed = resolution
    .all("conditions")
    .some(({ conditions }) => conditions.some((one) => one.kind === "date" && one.column === null));
  if (isTimed && refs.length === 1 && only?.column.kind === "date" && !isTelling(only)) throw new Unresolved();
  const [item] = items;
  // "Managers" are people rather than their keys.
  const isKeyOf = only && !only.column.isKey && resolution.isReference(only);
  if (item?.kind === "column" && refs.length === 1 && isKeyOf && !isKeySaid(item.column)) throw new Unresolved();
  // "Show all majors" may be those of each row, or the different ones.
  const isSeveral = item?.kind === "column" && isPlural(item.column.said);
  const isUnclear = isSeveral && only && refs.length === 1 && !isDistinct && !resolution.mentioned.has(only.table);
  const isPlain = resolution.modifiers.every(({ kind }) => /^(?:conditions|scope|exists)$/.test(kind));
  if (isUnclear && isPlain && !isTelling(only)) {
    const different = `different ${nameOf(only)}`;
    const each = `${nameOf(only)} of each row`;
    isDistinct = different === resolution.choose(item.column.said, [different, each], String, "repeat");
  }
  if (isDistinct && refs.some(({ column }) => column.nullable))
    resolution.assume("I assumed that rows without a value count as one.");
  // The columns of two tables are read from the lower one.
  const lowest = refs
    .map(({ table }) => table)
    .find((low) => refs.every(({ table }) => resolution.isAbove(low, table)));
  if (!lowest) throw new Unresolved();
  if (!resolution.isAbove(target, lowest)) {
    // "Descriptions of templates" are no descriptions of the documents that use them.
    const isNamed = resolution.all("scope").some(({ table }) => table.table === target) || isWhole;
    // "Owners and the names of their dogs" are one row for each dog.
    const isShown = refs.some(({ table }) => table === target);
    if ((isNamed && !isShown) || !resolution.isAbove(lowest, target)) throw new Unresolved();
    resolution.from = lowest;
    resolution.assume(`I assumed one row for each row of ${lowest.name}.`);
  }
  for (const { table } of refs) resolution.join(table);
  const filters = predicatesOf(resolution);
  // Customers are different ones, while their names may repeat.
  const where = isDistinct || isWhole ? filters : listRelated(resolution, filters);
  const outputs = outputsOf(refs);
  const plan = { ...emptyPlan(resolution.from), where, outputs, isDistinct, limit: ROWS_MAX };
  if (isWhole && outputs.length < target.columns.length)
    resolution.assume(`I assumed that the first ${outputs.length} columns of ${target.name} are enough.`);
  // Names of rows that other tables chose may repeat too.
  const isUnique = refs.some(({ column }) => column.isKey);
  const isChosen = resolution.joins.length > 0 || where.some(({ kind }) => kind === "exists");
  if (!isDistinct && !isUnique && (isChosen || !refs.some(isTelling)))
    resolution.assume("I assumed that equal rows are listed as often as they occur.");
  const [order] = resolution.all("order");
  const [extreme] = resolution.all("extreme");
  if (order && extreme) throw new Unresolved();
  if (extreme) {
    const { ref, isDescending } = extremeOf(resolution, extreme);
    if (!resolution.isAbove(resolution.from, ref.table)) throw new Unresolved();
    resolution.join(ref.table);
    where.push({ kind: "null", ref, isNegated: true });
    if (ref.column.nullable) resolution.assume(`I assumed that rows without ${nameOf(ref)} are left out.`);
    return finishPlan(resolution, {
      ...plan,
      order: [{ alias: addOutput(outputs, ref), isDescending }],
      limit: extreme.limit,
      withTies: resolution.hasTies(extreme.limit),
    });
  }
  if (order) {
    if (order.by === "figure" || (order.by && order.by.kind !== "column")) throw new Unresolved();
    const ref = order.by?.kind === "column" ? resolution.pick(order.by.column) : refs.length === 1 ? refs[0] : null;
    if (!ref) throw new Unresolved();
    resolution.join(ref.table);
    if (isDistinct && !refs.some((each) => each.column === ref.column)) throw new Unresolved();
    return finishPlan(resolution, {
      ...plan,
      order: [{ alias: addOutput(outputs, ref), isDescending: order.isDescending ?? false }],
    });
  }
  return finishPlan(resolution, plan);
}

/** Whether the values of a column tell rows apart. */
function isTelling({ table, column }: Ref): boolean {
  return repeatedName(table) !== column && (column.isKey || displayColumns(table).includes(column));
}

/**
 * "Color code and description" may ask for the description of the color.
 * @throws Unresolved if another table has such a column
 */
function checkSharedWords({ schema, question }: Resolution, refs: readonly Ref[]): void {
  let before: string[] = [];
  for (const item of question.items) {
    if (item.kind !== "column") continue;
    const said = nameWords(item.column.said);
    const shared = before;
    before = said.slice(0, -1);
    const name = [...shared, ...said].join();
    const isOther = ({ name: own }: Ref["column"]) =>
      nameWords(own).join() === name && !refs.some(({ column }) => column.name === own);
    if (shared.length > 0 && schema.tables.some(({ columns }) => columns.some(isOther))) throw new Unresolved();
  }
}

/** Returns what rows are called. */
function nameColumns(resolution: Resolution, table: Table): Ref[] {
  const columns = displayColumns(table).filter(({ kind, isReference }) => kind === "text" && !isReference);
  if (columns.length === 0) throw new Unresolved();
  resolution.assume(`I assumed that ${columns.map(({ name }) => name).join(" and ")} of ${table.name} is enough.`);
  return columns.map((column) => ({ table, column }));
}

import { spanWords } from "../../explain";
import type { Predicate, Ref } from "../../plan";
import type { Table } from "../../schema";
import { stemOf } from "../../words";
import { nameOf } from "../column-facts";
import type { ColumnName } from "../names";
import type { Adjective, Condition } from "../question";
import { isKeySaid, isVague } from "./columns";
import { adjectiveColumn, timeColumn } from "./implied-columns";
import type { Resolution } from "./resolution";
import { Unresolved } from "./unresolved";

/** Minimum number that may be a text, such as a code. */
const NAMES_FROM = 10;

/** Returns the filters of a question. */
export function predicatesOf(resolution: Resolution): Predicate[] {
  const where: Predicate[] = [];
  const below = new Map<Table, Predicate[]>();
  const seen = new Set<string>();
  const conditions = resolution.all("conditions").flatMap((one) => one.conditions);
  checkEvents(resolution, conditions);
  for (const condition of conditions) {
    const { ref, predicate } = toPredicate(resolution, condition);
    const isLeavingOut = (predicate.kind === "compare" && predicate.op === "<>") || predicate.kind === "in";
    if (isLeavingOut && ref.column.nullable && (predicate.kind === "compare" || predicate.isNegated))
      resolution.assume(`I assumed that rows without ${nameOf(ref)} are left out.`);
    checkBounds(resolution, ref, predicate);
    const key = `${ref.table.id} ${ref.column.name}`;
    // "Both A and B" of one column: no row has two values.
    const isEqual = predicate.kind === "in" && !predicate.isNegated;
    if (isEqual && seen.has(key)) throw new Unresolved();
    if (isEqual) seen.add(key);
    if (resolution.isAbove(resolution.from as Table, ref.table)) {
      resolution.join(ref.table);
      where.push(predicate);
    } else below.set(ref.table, [...(below.get(ref.table) ?? []), predicate]);
  }
  const from = resolution.from as Table;
  const named = resolution
    .all("scope")
    .flatMap(({ table: { table } }) => (resolution.isAbove(from, table) ? [] : [table]));
  // Rows or a figure of those that have a related row might be those of each.
  const isList = resolution.question.items.every(({ kind }) => kind === "column");
  const isOnce = resolution.question.items.every(({ kind }) => kind === "count");
  if (named.length > 0 && !isOnce && !isList) throw new Unresolved();
  for (const [table, predicates] of below) {
    // "Phones of departments in room 7" are no phones of people there.
    if (!resolution.mentioned.has(from)) throw new Unresolved();
    // "Books borrowed last year" may count the books or the loans.
    if (predicates.some(({ kind }) => kind === "span") && !named.includes(table)) throw new Unresolved();
    if (predicates.some((each) => "isNegated" in each && each.isNegated) || predicates.length > 1)
      throw new Unresolved();
    where.push(toExists(resolution, table, predicates, false));
  }
  // "Have not ordered since May" is a time of the orders.
  const isTimed = resolution
    .all("conditions")
    .some(({ conditions }) => conditions.some(({ kind, ...one }) => kind === "date" && "column" in one && !one.column));
  if (isTimed && resolution.all("exists").length > 0) throw new Unresolved();
  // "Towns without gymnasts": those of a person without one, or those of no gymnast.
  const isOfValues = resolution.question.isDistinct && resolution.question.items.every(({ kind }) => kind === "column");
  if (isOfValues && resolution.all("exists").some(({ isNegated }) => isNegated)) throw new Unresolved();
  // "Shops that have no devices in stock" are shops, not rows of `stock`.
  const owner = resolution.question.items.find((item) => item.kind === "column" && item.owner);
  const isOther = owner?.kind === "column" && owner.owner?.table !== from;
  if (isOther && resolution.all("exists").some(({ isNegated }) => isNegated)) throw new Unresolved();
  for (const { table, isNegated } of resolution.all("exists"))
    where.push(toReference(resolution, table.table, isNegated) ?? toExists(resolution, table.table, [], isNegated));
  // "Users who wrote tips about businesses in Dallas": the way to the businesses goes through tips.
  const passed = where.flatMap((one) => (one.kind === "exists" ? one.steps.map(({ table }) => table) : []));
  for (const table of named) {
    if (passed.includes(table)) continue;
    where.push(toExists(resolution, table, [], false));
  }
  // Two related rows may be one row or several, and a negation may include the other one.
  if (where.filter(({ kind }) => kind === "exists").length > 1) throw new Unresolved();
  return where;
}

/**
 * Returns the condition of rows that refer to a row of another table, or to none: "players without a club". Null unless
 * one column alone refers to it, and it does not refer back.
 */
function toReference(resolution: Resolution, to: Table, isNegated: boolean): Predicate | null {
  const { from, schema } = resolution;
  if (!from) return null;
  const between = schema.edges.filter((edge) => [edge.from, edge.to].every((table) => table === from || table === to));
  const [edge] = between;
  const column = from.columns.find(({ name }) => name === edge?.fromColumns[0]);
  if (between.length !== 1 || edge?.from !== from || edge.to !== to || edge.fromColumns.length !== 1) return null;
  if (!column?.nullable) return null;
  // A key that is not declared may lead nowhere.
  resolution.assume(`I assumed that those with a ${column.name} have a row of ${to.name}.`);
  return { kind: "null", ref: { table: from, column }, isNegated: !isNegated };
}

/**
 * "Solved last month" is a time of solving rather than a state and another time.
 * @throws Unresolved if a value is also an event with a time
 */
function checkEvents({ from }: Resolution, conditions: readonly Condition[]): void {
  const isTimed = conditions.some((one) => (one.kind === "date" || one.kind === "years") && one.column === null);
  for (const one of conditions) {
    if (!isTimed || one.kind !== "values" || one.column) continue;
    if (from && one.values.some(({ said }) => isEvent(from, said))) throw new Unresolved();
  }
}

/** Whether a table has the time of an event: `solved_at` of "solved". */
function isEvent({ columns }: Table, said: string): boolean {
  return columns.some(({ kind, words }) => kind === "date" && words.includes(stemOf(said.toLowerCase())));
}

/** Whether a column belongs to the rows of a question or to a table that it names. */
function isOfRows({ from, target, mentioned }: Resolution, { table }: Ref): boolean {
  return table === (from ?? target) || mentioned.has(table);
}

/** "Before 1945 and after 1955" speaks of two rows: no row is both. */
function checkBounds(resolution: Resolution, ref: Ref, predicate: Predicate): void {
  const key = `${ref.table.id} ${ref.column.name}`;
  const bounds = resolution.bounds.get(key) ?? { low: null, high: null };
  resolution.bounds.set(key, bounds);
  const yearOf = (day: string | null) => (day === null ? null : ref.column.isYear ? Number(day.slice(0, 4)) : day);
  const low = predicate.kind === "span" ? yearOf(predicate.start) : boundOf(predicate, /^(?:>|>=|=)$/);
  const high = predicate.kind === "span" ? yearOf(predicate.end) : boundOf(predicate, /^(?:<|<=|=)$/);
  bounds.low ??= low;
  bounds.high ??= high;
  // A second bound of the same side is another row too.
  const isSecond = (low !== null && bounds.low !== low) || (high !== null && bounds.high !== high);
  if (isSecond || (bounds.low !== null && bounds.high !== null && bounds.low > bounds.high)) throw new Unresolved();
}

function boundOf(predicate: Predicate, sides: RegExp): number | string | null {
  return predicate.kind === "compare" && sides.test(predicate.op) && typeof predicate.value !== "boolean"
    ? predicate.value
    : null;
}

function toExists(resolution: Resolution, table: Table, where: Predicate[], isNegated: boolean): Predicate {
  const from = resolution.from as Table;
  const steps = resolution.path(from, table);
  if (steps.length === 0 || steps[0]?.isUp) throw new Unresolved();
  if (!isNegated)
    resolution.assume(`I assumed that each row of ${from.name} counts once, also with several ${table.name}.`);
  return { kind: "exists", table, steps, where, isNegated };
}

/**
 * Returns the column that a condition names.
 * @throws Unresolved with the choice if two tables of the question have it: "the address of the customer with id 10"
 */
function pickNamed(resolution: Resolution, name: ColumnName, wanted: (ref: Ref) => boolean = () => true): Ref {
  const isAsked = ({ table }: Ref) => table === resolution.target || resolution.mentioned.has(table);
  const refs = name.options.map(({ ref }) => ref).filter((ref) => isAsked(ref) && wanted(ref));
  const [first] = refs;
  const isOfSeveral = refs.some((ref) => first && ref.table !== first.table && !resolution.isSameKey(first, ref));
  return isOfSeveral && (isVague(name) || isKeySaid(name))
    ? resolution.choose(name.said, refs, nameOf)
    : resolution.pick(name, wanted);
}

function isYearText({ column }: Ref): boolean {
  return column.kind === "text" && column.words.some((word) => /^(?:year|season|date)/.test(word));
}

function toPredicate(resolution: Resolution, condition: Condition): { ref: Ref; predicate: Predicate } {
  switch (condition.kind) {
    case "compare": {
      const ref = condition.column
        ? pickNamed(resolution, condition.column)
        : adjectiveColumn(resolution, condition.adjective as Adjective);
      const { op, value } = condition;
      if (ref.column.kind === "date" || ref.column.kind === "boolean") throw new Unresolved();
      // Keys have no order, and "papers in 2015" is no key.
      if (ref.column.isReference && !(condition.column && isKeySaid(condition.column))) throw new Unresolved();
      if (ref.column.kind === "text") {
        if (op !== "=" && op !== "<>") throw new Unresolved();
        // "Revenue by category in 2025" has a time.
        if (value >= 1500 && value < 2200 && !isYearText(ref)) throw new Unresolved();
        // "Types that have two schools" are no schools with the name 2.
        if (value < NAMES_FROM && !(condition.column && isKeySaid(condition.column))) throw new Unresolved();
        const isNegated = op === "<>";
        return { ref, predicate: { kind: "in", ref, values: [String(value)], isNegated } };
      }
      return { ref, predicate: { kind: "compare", ref, op, value } };
    }
    case "flag": {
      const ref = pickNamed(resolution, condition.column, ({ column }) => column.kind === "boolean");
      // "Verified reviews" are not those of verified users.
      if (!isOfRows(resolution, ref)) throw new Unresolved();
      if (!condition.isSet && ref.column.nullable)
        resolution.assume(`I assumed that rows without ${nameOf(ref)} are left out.`);
      return { ref, predicate: { kind: "compare", ref, op: "=", value: condition.isSet } };
    }
    case "numbers": {
      const ref = pickNamed(resolution, condition.column, ({ column }) => column.kind === "number");
      const { values, isNegated } = condition;
      return { ref, predicate: { kind: "in", ref, values, isNegated } };
    }
    case "years": {
      const ref = condition.column ? resolution.pick(condition.column) : timeColumn(resolution, true);
      if (ref.column.kind !== "number" || ref.column.isReference) throw new Unresolved();
      return { ref, predicate: { kind: "in", ref, values: condition.values, isNegated: false } };
    }
    case "between": {
      const ref = resolution.pick(condition.column, ({ column }) => column.kind === "number");
      resolution.assume("I assumed that both ends of a range are in it.");
      resolution.upperBounds.push({ kind: "compare", ref, op: "<=", value: condition.high });
      return { ref, predicate: { kind: "compare", ref, op: ">=", value: condition.low } };
    }
    case "values": {
      const hits = condition.values.map((value) => resolution.pickValue(value, condition.column));
      const [first] = hits;
      for (const { said, isUnknown } of condition.values)
        if (isUnknown && first)
          resolution.assume(`I assumed that “${said}” is a ${nameOf(first.ref)}, although I found none.`);
      if (!first || hits.some(({ ref }) => ref.column !== first.ref.column)) throw new Unresolved();
      // "Solved the most tickets" is what someone did rather than a state.
      if (condition.isBare && condition.values.some(({ said }) => isEvent(first.ref.table, said)))
        throw new Unresolved();
      const values = [...new Set(hits.map(({ value }) => value))];
      return { ref: first.ref, predicate: { kind: "in", ref: first.ref, values, isNegated: condition.isNegated } };
    }
    case "either": {
      const found = condition.conditions.map((each) => toPredicate(resolution, each));
      const [first] = found;
      const values = found.flatMap(({ predicate }) =>
        predicate.kind === "in" && !predicate.isNegated && predicate.ref.column === first?.ref.column
          ? [predicate.values]
          : [],
      );
      if (!first || values.length < found.length) throw new Unresolved();
      const { ref } = first;
      return { ref, predicate: { kind: "in", ref, values: values.flat(), isNegated: false } };
    }
    case "text": {
      const ref = pickNamed(resolution, condition.column, ({ column }) => column.kind === "text");
      const { text, where, isNegated } = condition;
      return { ref, predicate: { kind: "contains", ref, text, where, isNegated } };
    }
    case "empty": {
      const ref = pickNamed(resolution, condition.column);
      return { ref, predicate: { kind: "null", ref, isNegated: condition.isNegated } };
    }
    case "date": {
      const { start, end } = condition.date;
      const isYears = start?.endsWith("-01-01") !== false && end?.endsWith("-01-01") !== false;
      const ref = condition.column ? resolution.pick(condition.column) : timeColumn(resolution, isYears);
      // "Orders created last month" are not those of customers who were.
      if (condition.isBare && !isOfRows(resolution, ref)) throw new Unresolved();
      if (isYearText(ref) && condition.date.isBareYear && start && end && !condition.date.isOpen) {
        return { ref, predicate: { kind: "in", ref, values: [start.slice(0, 4)], isNegated: false } };
      }
      if (ref.column.kind !== "date" && !(ref.column.isYear && isYears)) throw new Unresolved();
      if (!condition.date.isBareYear) resolution.assume(`I assumed the time ${spanWords(start, end)}.`);
      return { ref, predicate: { kind: "span", ref, start, end, isNegated: false } };
    }
  }
}

import type { Chosen } from "../../choice";
import type { ValueHit } from "../../link";
import type { Predicate, Ref } from "../../plan";
import { displayColumns, type Schema, type Step, type Table } from "../../schema";
import { isPlural } from "../../words";
import { nameOf } from "../column-facts";
import type { ColumnName, ValueName } from "../names";
import type { Modifier, ModifierOf, Question } from "../question";
import { isVague } from "./columns";
import { Unresolved } from "./unresolved";

/** Difference of rank within which the answer names the column that it chose. */
const RIVAL = 2.5;
/** Minimum fit of a name that needs no word about it. */
export const CERTAIN = 2.5;

/** Columns and joins of a question while they are chosen, with what the choices assume. */
export class Resolution {
  readonly question: Question;
  readonly schema: Schema;
  readonly assumed: string[] = [];
  /** Tables that the question names. */
  readonly mentioned = new Set<Table>();
  readonly joins: Step[] = [];
  /** Lowest and highest values of columns, by table and column. */
  readonly bounds = new Map<string, { low: number | string | null; high: number | string | null }>();
  /** The upper bounds of ranges. */
  readonly upperBounds: Predicate[] = [];
  modifiers: readonly Modifier[];
  /** Table whose rows the question asks for. */
  target: Table | null = null;
  /** Table that the query reads; others are joined to it. */
  from: Table | null = null;

  readonly #chosen: Chosen;

  constructor(question: Question, schema: Schema, chosen: Chosen) {
    this.question = question;
    this.schema = schema;
    this.#chosen = chosen;
    this.modifiers = question.modifiers;
  }

  /** Returns the modifiers of a kind. */
  all<K extends Modifier["kind"]>(kind: K): ModifierOf<K>[] {
    return this.modifiers.filter((one): one is ModifierOf<K> => one.kind === kind);
  }

  /** Returns the meanings that a person chose for a name, or all. */
  chosenOf<T>(said: string, options: readonly T[], labelOf: (option: T) => string): readonly T[] {
    const label = this.#chosen.get(said.toLowerCase());
    const found = label === undefined ? [] : options.filter((option) => labelOf(option) === label);
    return found.length > 0 ? found : options;
  }

  /**
   * Returns the meaning that a person chose for a name.
   * @throws Unresolved with the choice, or without one after a choice that has no place here
   */
  choose<T>(
    said: string,
    options: readonly T[],
    labelOf: (option: T) => string,
    kind: "name" | "value" | "repeat" = "name",
  ): T {
    const label = this.#chosen.get(said.toLowerCase());
    const found = options.find((option) => labelOf(option) === label);
    if (found !== undefined) return found;
    const labels = [...new Set(options.map(labelOf))];
    throw new Unresolved(
      label === undefined
        ? {
            said,
            options: labels,
            ...(kind === "value" && { isValue: true }),
            ...(kind === "repeat" && { isRepeat: true }),
          }
        : null,
    );
  }

  /**
   * Returns the column of a name that is nearest to the rows.
   * @throws Unresolved if no column, or several alike, have the name
   */
  pick(name: ColumnName, wanted: (ref: Ref) => boolean = () => true): Ref {
    const target = this.from ?? this.target;
    const ranked = this.chosenOf(name.said, name.options, ({ ref }) => nameOf(ref))
      .filter(({ ref }) => wanted(ref))
      .map(({ ref, fit }) => ({ ref, rank: fit + this.nearness(ref.table, target) }))
      .sort((a, b) => b.rank - a.rank);
    const [best, second] = ranked;
    if (!best || best.rank < 0) throw new Unresolved();
    if (second && second.rank === best.rank && !this.isSameKey(best.ref, second.ref)) {
      const tied = ranked.filter(({ rank }) => rank === best.rank);
      return this.choose(name.said, tied, ({ ref }) => nameOf(ref)).ref;
    }
    const { table } = best.ref;
    if (this.target && table !== this.target && this.mentioned.has(this.target) && !this.mentioned.has(table)) {
      // "The names of aircraft" are no names of airports, and those of orchestras none of their conductors.
      const { columns, words } = this.target;
      const isNamed = columns.some((column) => column.kind === "text" && column.words.join() === words.join());
      if (isVague(name) && (isNamed || !this.isAbove(this.target, table))) throw new Unresolved();
      if (isVague(name)) this.assume(`I assumed that “${name.said}” means ${nameOf(best.ref)}.`);
    }
    const { fit = 0 } = name.options.find(({ ref }) => ref === best.ref) ?? {};
    // A view repeats the columns of its tables.
    const rival = ranked.find(({ ref }) => ref !== best.ref && !ref.table.isView);
    const isRivaled = rival && rival.rank > best.rank - RIVAL && !this.isSameKey(best.ref, rival.ref);
    if (fit < CERTAIN || isRivaled) this.assume(`I assumed that “${name.said}” means ${nameOf(best.ref)}.`);
    return best.ref;
  }

  /** Whether a superlative asks for all rows of the first place: “which customers have the most orders”. */
  hasTies(limit: number): boolean {
    if (limit !== 1) return false;
    const [item] = this.question.items;
    const owner = this.all("scope").find(({ table }) => table.table === this.target)?.table.said;
    if (owner !== undefined) return isPlural(owner);
    if (item?.kind === "rows") return isPlural(item.table.said);
    return item?.kind === "column" && isPlural(item.owner?.said ?? item.column.said);
  }

  /**
   * Returns the column of a table's name whose values a person chose instead of rows: "allergy types" may be the types of
   * allergies. Null for the rows.
   * @throws Unresolved with the choice if a key other than a number identifies the rows
   */
  valuesInstead(table: Table): Ref | null {
    const { name, columns, words } = table;
    const column = columns.find((each) => each.kind === "text" && each.words.join() === words.join());
    if (!column) return null;
    const [key, ...others] = columns.filter(({ isKey }) => isKey);
    if (key && (key === column || (others.length === 0 && key.kind === "number"))) {
      this.assume(`I assumed the rows of ${name}, not the different values of ${column.name}.`);
      return null;
    }
    const values = `different ${nameOf({ table, column })}`;
    const chosen = this.choose(name, [`rows of ${name}`, values], String, "repeat");
    return chosen === values ? { table, column } : null;
  }

  assume(text: string): void {
    if (!this.assumed.includes(text)) this.assumed.push(text);
  }

  nearness(table: Table, target: Table | null): number {
    if (table === target) return 2;
    if (this.mentioned.has(table)) return 1;
    const path = target ? this.schema.path(target, table) : null;
    if (path === null) return -9;
    return path.every(({ isUp }) => isUp) ? 0.3 - path.length * 0.05 : -path.length * 0.05;
  }

  /** Whether one column references the other. */
  isSameKey(a: Ref, b: Ref): boolean {
    return this.schema.edges.some(
      (edge) =>
        (edge.from === a.table && edge.to === b.table && edge.fromColumns[0] === a.column.name) ||
        (edge.from === b.table && edge.to === a.table && edge.fromColumns[0] === b.column.name),
    );
  }

  /**
   * Returns the column and spelling of a value.
   * @throws Unresolved if several columns have it alike
   */
  pickValue(value: ValueName, column: ColumnName | null): ValueHit {
    const target = this.from ?? this.target;
    const rankOf = (hit: ValueHit) => {
      const option = column?.options.find(({ ref }) => ref.table === hit.ref.table && ref.column === hit.ref.column);
      if (column && !option) return -9;
      return (option?.fit ?? 0) + this.nearness(hit.ref.table, target) + (hit.value === value.said ? 0.01 : 0);
    };
    const labelOf = ({ ref, value: spelled }: ValueHit) => `${nameOf(ref)} = ${spelled}`;
    const found = this.chosenOf(value.said, value.hits, labelOf);
    const ranked = found.map((hit) => ({ hit, rank: rankOf(hit) })).sort((a, b) => b.rank - a.rank);
    const [best] = ranked;
    if (!best || best.rank < -1) throw new Unresolved();
    const other = ranked.find(({ hit, rank }) => rank > best.rank - 0.02 && hit.ref.column !== best.hit.ref.column);
    if (other && !this.isSameKey(best.hit.ref, other.hit.ref)) {
      const tied = ranked.filter(({ rank }) => rank > best.rank - 0.02);
      return this.choose(value.said, tied, ({ hit }) => labelOf(hit), "value").hit;
    }
    const elsewhere = ranked.find(
      ({ hit, rank }) => rank > -2 && !this.isSameKey(best.hit.ref, hit.ref) && hit.ref.column !== best.hit.ref.column,
    );
    // Two tables may have the value: nearness is no reason, unless the rows repeat it in a column of the same name.
    // Names of two tables are of two things.
    const { table, column: own } = best.hit.ref;
    const isOwn =
      table === this.target &&
      !(elsewhere && this.mentioned.has(elsewhere.hit.ref.table)) &&
      !displayColumns(table).includes(own) &&
      found.every(({ ref }) => ref.column.name === own.name);
    if (!column && !isOwn && elsewhere && elsewhere.hit.ref.table !== best.hit.ref.table) {
      return this.choose(value.said, [best, elsewhere], ({ hit }) => labelOf(hit), "value").hit;
    }
    const isSpelled = best.hit.value.toLowerCase() === value.said.toLowerCase();
    if (column && !isSpelled) this.assume(`I assumed that “${value.said}” means “${best.hit.value}”.`);
    if (!column) {
      const other = elsewhere ? `, not a ${nameOf(elsewhere.hit.ref)}` : "";
      this.assume(`I assumed that “${value.said}” is a ${nameOf(best.hit.ref)}${other}.`);
    }
    const spellings = ranked.filter(({ hit, rank }) => rank === best.rank && hit.ref.column === best.hit.ref.column);
    if (spellings.length > 1) throw new Unresolved();
    return best.hit;
  }

  /**
   * Returns the joins from one table to another.
   * @throws Unresolved if none, or several alike, lead there
   */
  path(from: Table, to: Table): Step[] {
    const steps = this.schema.path(from, to);
    if (!steps) throw new Unresolved();
    const chosen = steps.map((step) => {
      const { edge } = step;
      // A key of two tables leads to either of them.
      const isShared = this.schema.edges.some(
        (other) =>
          other.from === edge.from && other.to !== edge.to && other.fromColumns.join() === edge.fromColumns.join(),
      );
      if (isShared) throw new Unresolved();
      const same = this.schema.edges.filter((other) => other.from === edge.from && other.to === edge.to);
      // Two keys between the same tables, such as home and away team, mean different joins.
      return same.length > 1
        ? { ...step, edge: this.choose(edge.to.name, same, ({ fromColumns }) => fromColumns.join(", ")) }
        : step;
    });
    const between = steps.slice(0, -1).map(({ table }) => table.name);
    if (between.length > 0)
      this.assume(`I assumed that ${from.name} and ${to.name} belong together through ${between.join(" and ")}.`);
    return chosen;
  }

  /** Whether each row of one table belongs to one row of the other. */
  isAbove(from: Table, to: Table): boolean {
    return from === to || this.schema.isAbove(from, to);
  }

  /** Adds the joins to a table above the one that is read. */
  join(table: Table): void {
    const from = this.from as Table;
    for (const step of this.path(from, table)) {
      if (!step.isUp) throw new Unresolved();
      if (!this.joins.some((each) => each.table === step.table)) this.joins.push(step);
    }
  }

  /** Whether a table only says which rows of two others belong together, by whose names it is called. */
  isLink({ words }: Table): boolean {
    const above = this.schema.edges.filter(({ from }) => from.words === words).map(({ to }) => to);
    return above.some((a) => above.some((b) => a !== b && [...a.words, ...b.words].join() === words.join()));
  }

  /** Whether a column identifies rows that have a name. */
  isReference({ table, column }: Ref): boolean {
    return (
      column.isKey ||
      this.schema.edges.some(({ from, fromColumns }) => from === table && fromColumns.includes(column.name))
    );
  }
}

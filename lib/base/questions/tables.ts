import { DIALECTS, type SqlDialect } from "../sql/dialects/registry.ts";
import type { Entity, EntityColumn } from "../values/fields.ts";
import { type QuestionKind, toQuestionKind } from "./kinds.ts";
import {
  type ColumnRef,
  isSummarized,
  joinName,
  type Question,
  type QuestionJoin,
  type QuestionSummary,
  type SummaryFunction,
} from "./question.ts";

/** Returns the types of a language whose values are moments. */
export function instantsOf(language: SqlDialect | "mongodb"): RegExp | undefined {
  return language === "mongodb" ? /^date$/i : DIALECTS[language].metrics?.instants;
}

/** A table of a question. The first has the name that its rows have in the statement. */
export type NamedTable = { name: string; entity: Entity; join: QuestionJoin | null };

/** A column of a table, or a formula. */
export type FoundColumn = {
  table: NamedTable | null;
  name: string;
  kind: QuestionKind;
  column: EntityColumn | null;
};

/** The tables of a question, the first one first. @param entities those of the question, in its order */
export function tablesOf(question: Question, entities: readonly Entity[]): NamedTable[] {
  const [first, ...joined] = entities;
  if (!first) return [];
  return [
    { name: question.table.name, entity: first, join: null },
    ...question.joins.flatMap((join, index) => {
      const entity = joined[index];
      return entity ? [{ name: joinName(join), entity, join }] : [];
    }),
  ];
}

/**
 * Returns a function that finds a column, or a formula by its name alone; null if there is none.
 * @param instants types of the dialect whose values are moments
 */
export function columnFinder(
  question: Pick<Question, "formulas">,
  tables: readonly NamedTable[],
  instants?: RegExp,
): (ref: ColumnRef) => FoundColumn | null {
  const formulas = new Set(question.formulas.map(({ name }) => name));
  const found = new Map<string | undefined, Map<string, FoundColumn>>();
  for (const table of tables) {
    const columns = (table.entity.columns ?? []).map((column): [string, FoundColumn] => [
      column.name,
      { table, name: column.name, kind: toQuestionKind(column, instants), column },
    ]);
    found.set(table.name, new Map(columns));
  }
  found.set(undefined, found.get(tables[0]?.name) ?? new Map());
  return ({ table, column: name }) => {
    if (table === undefined && formulas.has(name)) return { table: null, name, kind: "number", column: null };
    return found.get(table)?.get(name) ?? null;
  };
}

/** A column of the result, and the part of the question that it comes from. */
export type Output = {
  name: string;
  role: "group" | "summary" | "column";
  /** Index of the group or summary; of a column, its position. */
  index: number;
  column: ColumnRef | null;
};

const FUNCTION_NAMES: Readonly<Record<SummaryFunction, string>> = {
  count: "count",
  distinct: "distinct",
  sum: "sum",
  avg: "average",
  min: "min",
  max: "max",
};

/**
 * Returns the columns of the result with their unique names. A column keeps its name; of equal ones, those of joined
 * tables have the table's name before. Without summaries and groups these are the chosen columns, or all.
 */
export function outputsOf(question: Question, tables: readonly NamedTable[]): Output[] {
  const outputs: Output[] = [];
  const used = new Set<string>();
  const add = (role: Output["role"], index: number, column: ColumnRef | null, ...names: string[]) => {
    const base = names.find((name) => !used.has(name)) ?? names[0] ?? role;
    let name = base;
    for (let count = 2; used.has(name); count += 1) name = `${base}_${count}`;
    used.add(name);
    outputs.push({ name, role, index, column });
  };
  const addColumn = (role: Output["role"], index: number, ref: ColumnRef) =>
    add(role, index, ref, ref.column, ...(ref.table === undefined ? [] : [`${ref.table}_${ref.column}`]));
  if (!isSummarized(question)) {
    const all = tables.flatMap(({ name, entity, join }) =>
      (entity.columns ?? []).map(({ name: column }): ColumnRef => (join ? { table: name, column } : { column })),
    );
    const formulas = question.formulas.map(({ name }): ColumnRef => ({ column: name }));
    const chosen = question.columns.length > 0 ? question.columns : [...all, ...formulas];
    for (const [index, ref] of chosen.entries()) addColumn("column", index, ref);
    return outputs;
  }
  for (const [index, { column }] of question.groups.entries()) addColumn("group", index, column);
  for (const [index, summary] of question.summaries.entries()) {
    add("summary", index, summary.column ?? null, summary.name ?? summaryName(summary));
  }
  return outputs;
}

/** Returns the default name of a summary's column. */
function summaryName({ function: name, column, table }: QuestionSummary): string {
  const of = column?.column ?? table;
  return of === undefined ? FUNCTION_NAMES[name] : `${FUNCTION_NAMES[name]}_${of}`;
}

export function primaryKeyOf({ columns = [] }: Entity): string[] {
  return columns.filter((column) => column.primaryKey).map(({ name }) => name);
}

/**
 * Returns the tables whose rows the joins never repeat: each row of the result has at most one of theirs, and each of
 * their rows is in at most one row of the result.
 */
export function unrepeated(tables: readonly NamedTable[], keysRepeat: boolean): Set<string> {
  const isWhole = ({ name }: NamedTable) => reachable(tables, name, keysRepeat).size === tables.length;
  return new Set(tables.filter(isWhole).map(({ name }) => name));
}

/**
 * Returns the tables of which a row of `from` has at most one, by primary keys: what a foreign key names is not unique
 * in every database.
 * @param keysRepeat whether several rows may have one primary key
 */
export function reachable(tables: readonly NamedTable[], from: string, keysRepeat: boolean): Set<string> {
  const isUnique = ({ columns = [] }: Entity, pairs: readonly { own: string; other: string }[], other: Entity) => {
    const key = keysRepeat ? [] : columns.filter(({ primaryKey }) => primaryKey);
    return (
      key.length > 0 &&
      key.every((column) =>
        pairs.some((pair) => {
          const compared = other.columns?.find(({ name }) => name === pair.other);
          // A list matches by each of its items.
          const hasList = [column, compared].some((each) => /\barray\b/i.test(each?.type ?? ""));
          // A number equals several texts: 1, 01 and 1.0.
          const isSameKind = compared && toQuestionKind(compared) === toQuestionKind(column);
          return pair.own === column.name && isSameKind && !hasList;
        }),
      )
    );
  };
  const first = tables[0]?.name ?? "";
  const edges = tables.flatMap(({ name, entity, join }) => {
    if (!join) return [];
    const parents = new Set(join.on.map((pair) => pair.from.table ?? first));
    // A condition on several tables relates more than two: it says nothing about the number of rows.
    const [parent] = parents;
    const other = tables.find((each) => each.name === parent);
    if (parents.size !== 1 || !other || parent === undefined) return [];
    const pairs = join.on.map((pair) => ({ own: pair.column, other: pair.from.column }));
    const toOne = isUnique(entity, pairs, other.entity);
    const fromOne = isUnique(
      other.entity,
      pairs.map(({ own, other: of }) => ({ own: of, other: own })),
      entity,
    );
    return [...(toOne ? [{ from: parent, to: name }] : []), ...(fromOne ? [{ from: name, to: parent }] : [])];
  });
  const reached = new Set([from]);
  for (const each of reached) for (const edge of edges) if (edge.from === each) reached.add(edge.to);
  return reached;
}

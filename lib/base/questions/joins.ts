import type { Entity } from "../values/fields.ts";
import { toFreeName } from "../values/names.ts";
import { type QuestionJoin, type QuestionTable, toQuestionTable } from "./question.ts";
import { type NamedTable, primaryKeyOf } from "./tables.ts";

/** A join that a foreign key, or else equal names of columns, suggest. */
export type JoinSuggestion = { join: QuestionJoin; isKey: boolean };

/** Suggestions of one menu. */
const SUGGESTIONS_MAX = 30;

const isSame = (a: QuestionTable, b: QuestionTable) => a.name === b.name && (a.schema ?? "") === (b.schema ?? "");

/** Returns a join of another table, under a name that no table of the question has. */
export function joinTo(
  entity: Entity,
  on: QuestionJoin["on"],
  tables: readonly Pick<NamedTable, "name">[],
): QuestionJoin {
  const as = toFreeName(
    entity.name,
    tables.map(({ name }) => name),
  );
  return { table: toQuestionTable(entity), ...(as !== entity.name && { as }), kind: "left", on };
}

/** Returns the joins from the tables of a question to others: along foreign keys first. */
export function suggestJoins(tables: readonly NamedTable[], entities: readonly Entity[]): JoinSuggestion[] {
  const found: JoinSuggestion[] = [];
  const add = (from: NamedTable, entity: Entity, pairs: [string, string][], isKey: boolean) => {
    const ref = from.join ? { table: from.name } : {};
    const on = pairs.map(([column, joined]) => ({ from: { ...ref, column }, column: joined }));
    const join = joinTo(entity, on, tables);
    const key = JSON.stringify([join.table, on]);
    const isKnown = [...found.map((each) => each.join), ...tables.flatMap((each) => each.join ?? [])].some(
      (each) => JSON.stringify([each.table, each.on]) === key,
    );
    if (!isKnown) found.push({ join, isKey });
  };
  for (const from of tables) {
    for (const { columns, references } of from.entity.foreignKeys ?? []) {
      const entity = entities.find((each) => isSame(each, references));
      if (entity)
        add(
          from,
          entity,
          columns.map((column, at) => [column, references.columns[at] ?? ""]),
          true,
        );
    }
    for (const entity of entities) {
      for (const { columns, references } of entity.foreignKeys ?? []) {
        if (isSame(references, from.entity)) {
          add(
            from,
            entity,
            columns.map((column, at) => [references.columns[at] ?? "", column]),
            true,
          );
        }
      }
    }
  }
  for (const from of tables) {
    for (const entity of entities) {
      if (isSame(entity, from.entity)) continue;
      const to = named(from.entity, entity);
      if (to) add(from, entity, [to], false);
      const back = named(entity, from.entity);
      if (back) add(from, entity, [[back[1], back[0]]], false);
    }
  }
  return found.slice(0, SUGGESTIONS_MAX);
}

/** Returns a column of `from` that is named after the single key of `to`, such as customer_id, and that key. */
function named(from: Entity, to: Entity): [string, string] | null {
  const [key, another] = primaryKeyOf(to);
  if (key === undefined || another !== undefined) return null;
  const singular = to.name.toLowerCase().replace(/ies$/, "y").replace(/s$/, "");
  // Every collection of MongoDB has the key _id.
  const isId = /^_?id$/i.test(key);
  const wanted = isId ? [`${singular}_id`, `${singular}id`] : [key.toLowerCase()];
  const column = from.columns?.find(({ name }) => wanted.includes(name.toLowerCase()));
  return column && !(column.primaryKey && isId) ? [column.name, key] : null;
}

import {
  type ColumnRef,
  NEW_QUESTION,
  type Question,
  type QuestionFilter,
  type QuestionSummary,
} from "@/lib/base/questions/question";
import type { Plan, Predicate, Ref } from "./plan";

/** Renders a plan as a question of the question builder; null if the builder has no such steps. */
export function toQuestion(plan: Plan): Question | null {
  const { from, joins, where, hiddenKeys, outputs, measures, isDistinct, having, order, limit, countedAs } = plan;
  if (having.length > 0 || countedAs !== null || joins.some(({ isUp }) => !isUp)) return null;
  const columnOf = ({ table, column }: Ref): ColumnRef => ({
    ...(table !== from && { table: table.name }),
    column: column.name,
  });
  const summaries = measures.flatMap((measure): QuestionSummary[] => {
    const { alias: name } = measure;
    if (measure.fn === "count") return [{ function: "count", name }];
    if (measure.fn === "countDistinct") return [{ function: "distinct", column: columnOf(measure.ref), name }];
    if (measure.fn === "share" || measure.fn === "ratio" || measure.times) return [];
    return [{ function: measure.fn, column: columnOf(measure.ref), name }];
  });
  const filters = where.map((predicate) => toFilters(predicate, columnOf));
  if (summaries.length < measures.length || filters.some((each) => each === null)) return null;
  const isGrouped = measures.length > 0 || isDistinct;
  return {
    ...NEW_QUESTION,
    table: tableOf(from),
    joins: joins.map(({ edge, table }) => ({
      table: tableOf(table),
      kind: "inner",
      on: edge.fromColumns.map((name, i) => ({
        from: { ...(edge.from !== from && { table: edge.from.name }), column: name },
        column: edge.toColumns[i] ?? name,
      })),
    })),
    filters: filters.flatMap((each) => each ?? []),
    summaries,
    groups: isGrouped
      ? [
          ...hiddenKeys.map((ref) => ({ column: columnOf(ref) })),
          ...outputs.map((output) => ({
            column: columnOf(output.ref),
            ...(output.kind === "time" && !output.ref.column.isYear && { grain: output.grain }),
          })),
        ]
      : [],
    columns: isGrouped ? [] : outputs.map(({ ref }) => columnOf(ref)),
    // A group is in order without being asked.
    sorts: order.flatMap(({ alias, isDescending }) => {
      const isNamed = measures.some((measure) => measure.alias === alias);
      const output = isGrouped ? undefined : outputs.find((each) => each.alias === alias);
      const by = isNamed ? alias : output?.ref.column.name;
      return by === undefined ? [] : [{ by, order: isDescending ? ("desc" as const) : ("asc" as const) }];
    }),
    ...(limit !== null && { limit }),
    timezone: "UTC",
  };
}

function tableOf({ name, schema }: Plan["from"]): Question["table"] {
  return { name, ...(schema !== null && { schema }) };
}

function toFilters(predicate: Predicate, columnOf: (ref: Ref) => ColumnRef): QuestionFilter[] | null {
  if (predicate.kind === "exists") return null;
  const { ref } = predicate;
  const column = columnOf(ref);
  const inUnit = <T>(value: T) => (typeof value === "number" ? value * ref.column.unit : value);
  switch (predicate.kind) {
    case "compare": {
      const ops = { "=": "eq", "<>": "ne", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte" } as const;
      return [{ column, op: ops[predicate.op], values: [inUnit(predicate.value)] }];
    }
    case "in":
      return [{ column, op: predicate.isNegated ? "nin" : "in", values: predicate.values.map(inUnit) }];
    case "null":
      return [{ column, op: predicate.isNegated ? "notNull" : "isNull", values: [] }];
    case "contains": {
      const ops = { anywhere: "contains", start: "startsWith", end: "endsWith" } as const;
      if (predicate.isNegated && predicate.where !== "anywhere") return null;
      return [{ column, op: predicate.isNegated ? "notContains" : ops[predicate.where], values: [predicate.text] }];
    }
    case "span": {
      const { start, end, isNegated } = predicate;
      if (isNegated) return null;
      const day = (text: string) => (ref.column.isYear ? Number(text.slice(0, 4)) : text);
      return [
        ...(start ? [{ column, op: "gte" as const, values: [day(start)] }] : []),
        ...(end ? [{ column, op: "lt" as const, values: [day(end)] }] : []),
      ];
    }
  }
}

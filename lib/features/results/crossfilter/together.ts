import type { Batch } from "@/lib/base/values/fields";
import { type Answer, toAnswer } from "./finish";
import type { Shift } from "./period";
import type { AggregateSpec, Condition } from "./spec";
import { Builder, type Question, type Statement, type TableField, toAggregateStatement } from "./statement";

/** Several groupings as one statement, and how its answer is parted again: an answer for each, in their order. */
export type Together = Question & { part: (answer: Batch) => Answer[] };

/** The rows that the conditions let through. */
const LET_THROUGH = "let_through";
/** Medians and distinct counts take many times as long as a sum: nobody is to wait for those of another. */
const HEAVY: ReadonlySet<string> = new Set(["median", "countDistinct"]);

/** Whether a grouping gains by being asked for with others: a table's rows and what takes long do not. */
export function isLight({ dimensions, measures }: AggregateSpec): boolean {
  return dimensions.length + measures.length > 0 && !measures.some(({ op }) => HEAVY.has(op));
}

/**
 * Groupings of the rows that the same conditions let through: those are looked for once, where each grouping by itself would
 * look through the whole table.
 * @throws AppError as `toAggregateStatement`, for any of them
 */
export function toTogetherStatement(
  table: string,
  fields: readonly TableField[],
  specs: readonly AggregateSpec[],
  conditions: readonly Condition[],
  shift: Shift | null,
): Together {
  const narrowed = new Builder(table, fields, shift);
  const where = narrowed.where(conditions);
  const parts = specs.map((spec) => toAggregateStatement(LET_THROUGH, fields, spec, [], shift));
  // No name and no text of a person is part of a statement, so what looks like one of our columns is one.
  const columns = new Set(parts.flatMap(({ sql }) => sql.match(/\b[cl]\d+\b/g) ?? []));
  const letThrough = `select ${[...columns].join(", ") || "0 as none"} from ${table}${where}`;
  const selects = parts.map(({ sql, finish }, part) => {
    const names = Array.from({ length: widthOf(finish) }, (_, index) => nameOf(part, index));
    return `(select ${part} as part, * from (${sql}) as p(${names.join(", ")}))`;
  });
  return {
    sql: `with ${LET_THROUGH} as materialized (${letThrough}) ${selects.join(" union all by name ")}`,
    values: narrowed.values,
    part: (answer) => {
      let from = 1;
      return parts.map((statement, part) => {
        const width = widthOf(statement.finish);
        const columns = answer.columns.slice(from, from + width);
        from += width;
        const at = answer.columns[0]?.flatMap((each, row) => (each === part ? [row] : [])) ?? [];
        const own = columns.map((column) => at.map((row) => column[row] ?? null));
        return toAnswer(statement, { rowCount: at.length, columns: own });
      });
    },
  };
}

/** Of the part's columns, which the others do not have: there they are null. */
function nameOf(part: number, index: number): string {
  return `p${part}_${index}`;
}

/** How many columns a statement selects. */
function widthOf(finish: Statement["finish"]): number {
  return 1 + Math.max(...finish.map((each) => (each.kind === "quotient" ? Math.max(each.sum, each.count) : each.at)));
}

import type { Batch } from "@/lib/base/values/fields";
import { type Answer, toAnswer } from "./finish";
import type { Shift } from "./period";
import type { AggregateSpec, Condition } from "./spec";
import { Builder, type Question, type Statement, type TableField, toAggregateStatement } from "./statement";

/**
 * Several groupings as one statement, and a function that splits its result into an answer for each, in their order.
 */
export type Together = Question & { part: (answer: Batch) => Answer[] };

/** Name of the rows that match the conditions. */
const LET_THROUGH = "let_through";
/** Quantiles and distinct counts take many times as long as a sum: other queries must not wait for them. */
const HEAVY: ReadonlySet<string> = new Set(["median", "q1", "q3", "countDistinct"]);

/** Returns whether a grouping benefits from a shared statement: plain rows and slow measures do not. */
export function isLight({ dimensions, measures }: AggregateSpec): boolean {
  return dimensions.length + measures.length > 0 && !measures.some(({ op }) => HEAVY.has(op));
}

/**
 * Combines groupings of rows under the same conditions: the rows are selected once, where separate groupings would each
 * scan the whole table.
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
  // No user-supplied name or text is part of a statement, so anything that looks like one of our columns is one.
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

/** Names a column of one part; it is null in the rows of the others. */
function nameOf(part: number, index: number): string {
  return `p${part}_${index}`;
}

/** Returns the number of columns that a statement selects. */
function widthOf(finish: Statement["finish"]): number {
  return 1 + Math.max(...finish.map((each) => (each.kind === "quotient" ? Math.max(each.sum, each.count) : each.at)));
}

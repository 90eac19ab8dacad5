import type { Ref } from "../../plan";
import type { Table } from "../../schema";
import { nameWords } from "../../words";
import type { ColumnName, TableName } from "../names";
import type { Aggregate, ModifierOf } from "../question";

/* Facts about columns and tables that decide which reading of a name is the right one. */

/** Returns the table whose rows a superlative counts; undefined for a figure of a column. */
export function countedTable(modifier: ModifierOf<"most"> | ModifierOf<"having">): Table | undefined {
  return "table" in modifier.of ? modifier.of.table.table : undefined;
}

/** Whether only a part of a table's name was said, which is a number of its rows: "revenue" of `daily_revenue`. */
export function isFigure({ table, said, isPart }: TableName): boolean {
  const words = nameWords(said).join();
  return isPart === true && table.columns.some(({ kind, words: own }) => kind === "number" && own.join() === words);
}

/** Whether a name says too little without its table. */
export function isVague({ said }: ColumnName): boolean {
  return /^(?:the )?(?:names?|titles?|types?|codes?|descriptions?|status|dates?)$/i.test(said);
}

/** Whether the words of a name ask for a key: "player IDs". */
export function isKeySaid({ said }: ColumnName): boolean {
  return /\b(?:ids?|keys?|codes?|numbers?)\b/i.test(said);
}

/** Returns a check for columns that have a figure: keys have a highest and a lowest value, but no sum. */
export function isNumberFor(fn: Aggregate): (ref: Ref) => boolean {
  return ({ column }) => column.kind === "number" && (!column.isReference || fn === "max" || fn === "min");
}

import type { Ref } from "../../plan";
import type { Column, Table } from "../../schema";
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

/** Whether a row stands for several things, such as an item with its quantity. */
export function isOfSeveral({ columns }: Table): boolean {
  return columns.some(isQuantity);
}

export function isQuantity({ words, kind }: Column): boolean {
  return kind === "number" && /^(?:count|quantiti)$/.test(words.join());
}

/** Whether a column holds amounts of money. */
export function isMoney({ words, kind, unit, isReference }: Column): boolean {
  return (
    kind === "number" &&
    !isReference &&
    (unit !== 1 || words.some((word) => /^(?:total|amount|revenu|cost|fee|balanc|paid|salari|pay|budget)$/.test(word)))
  );
}

/** Whether the rows of a table are amounts: the total of refunds or fines is rather a sum than a number. */
export function isMoneyNoun({ words }: Table): boolean {
  return /^(?:sale|refund|pay|payment|expens|cost|fin|fine|fee|penalti|salari|revenu|donation|donat|invoic|transaction|transact|budget|loan|credit|debt|discount|tax|purchas|charg|deposit|bill)$/.test(
    words.at(-1) ?? "",
  );
}

/** Whether a column's numbers add up to nothing: prices, rates, or what a thing costs that also has a price. */
export function isOfOne({ table, column }: Ref): boolean {
  const isPrice = (words: readonly string[]) => words.some((word) => /^(?:pric|price|rat|percent|age)$/.test(word));
  return isPrice(column.words) || (column.words.includes("cost") && table.columns.some(({ words }) => isPrice(words)));
}

/** Returns the name that rows of a table share if it is a part of their key: a river in each of its states. */
export function repeatedName(table: Table): Table["columns"][number] | null {
  const keys = table.columns.filter(({ isKey }) => isKey);
  const name = keys.find(({ kind, words }) => kind === "text" && /^(?:name|titl)$/.test(words.at(-1) ?? ""));
  return keys.length > 1 && name ? name : null;
}

/** Whether a name says too little without its table. */
export function isVague({ said }: ColumnName): boolean {
  return /^(?:the )?(?:names?|titles?|types?|codes?|descriptions?|status|dates?)$/i.test(said);
}

/** Whether a column holds ranks, whose highest is the lowest number. */
export function isRank({ words }: Column): boolean {
  return words.some((word) => /^(?:rank|posit|place)/.test(word));
}

/** Whether a column of a table holds the number of another table's rows: `host_count`, `number_of_hosts`. */
export function isNumberOf({ words, kind }: Column, counted: Table): boolean {
  const rest = words.filter((word) => !/^(?:count|number|num|total|of)$/.test(word));
  return kind === "number" && rest.length < words.length && rest.join() === counted.words.join();
}

/** Whether the words of a name ask for a key: "player IDs". */
export function isKeySaid({ said }: ColumnName): boolean {
  return /\b(?:ids?|keys?|codes?|numbers?)\b/i.test(said);
}

/** Returns a check for columns that have a figure: keys have a highest and a lowest value, but no sum. */
export function isNumberFor(fn: Aggregate): (ref: Ref) => boolean {
  return ({ column }) => column.kind === "number" && (!column.isReference || fn === "max" || fn === "min");
}

/** Returns how messages name a column. */
export function nameOf({ table, column }: Ref): string {
  return `${table.name}.${column.name}`;
}

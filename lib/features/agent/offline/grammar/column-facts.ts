import type { Ref } from "../plan";
import type { Column, Table } from "../schema";

/* What columns and tables hold, by their names: amounts, quantities, ranks. */

/** Whether a row stands for several things, such as an item with its quantity. */
export function isOfSeveral({ columns }: Table): boolean {
  return columns.some(isQuantity);
}

/** Whether a column holds the number of things that a row stands for. */
export function isQuantity({ words, kind }: Column): boolean {
  return kind === "number" && /^(?:count|quantiti)$/.test(words.join());
}

/** Whether a column holds how many units were sold. */
export function isSold({ words, kind }: Column): boolean {
  return kind === "number" && /^(?:sell|unit|unit sell|quantiti sell)$/.test(words.join(" "));
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

/** Whether a column holds ranks, whose highest is the lowest number. */
export function isRank({ words }: Column): boolean {
  return words.some((word) => /^(?:rank|posit|place)/.test(word));
}

/** Whether a column of a table holds the number of another table's rows: `host_count`, `number_of_hosts`. */
export function isNumberOf({ words, kind }: Column, counted: Table): boolean {
  const rest = words.filter((word) => !/^(?:count|number|num|total|of)$/.test(word));
  return kind === "number" && rest.length < words.length && rest.join() === counted.words.join();
}

/** Returns how messages name a column. */
export function nameOf({ table, column }: Ref): string {
  return `${table.name}.${column.name}`;
}

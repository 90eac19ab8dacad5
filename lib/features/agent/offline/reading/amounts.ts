import { figureOf, type MeasureAsk, type MeasureRef } from "../frame";
import type { Mention } from "../link";
import { isAmount, MONEY, type Reading } from "./reading";

/* Finds the columns that hold the amount of a word. */

/** Returns the quantity column: "units sold" sums quantities. */
export function quantityOf(reading: Reading, from: number, to: number): MeasureAsk | null {
  const words = reading.wordsBetween(from, to).join(" ");
  if (
    !/\b(units?|pieces?|quantity|(?:items?|products?|copies|articles?) (?:sold|ordered|bought|purchased)|sold)\b/.test(
      words,
    )
  )
    return null;
  if (/\b(revenue|value|amount|money)\b/.test(words)) return null;
  const refs = reading.schema.tables.flatMap((table) =>
    table.columns
      .filter(
        ({ words: name, kind }) => kind === "number" && ["quantiti", "unit", "quantity"].includes(name.at(-1) ?? ""),
      )
      .map((column) => ({ ref: { table, column }, fit: 0.9 })),
  );
  return refs.length > 0 ? figureOf("sum", refs) : null;
}

/** Returns the amounts that a mention may mean, also from prices and quantities. */
export function amountsOf(reading: Reading, mention: Mention): MeasureRef[] {
  const own = mention.columns.filter(({ ref }) => isAmount(ref));
  const isMoney = reading.linked.tokens.slice(mention.from, mention.to).some(({ stem }) => MONEY.has(stem));
  return [...own, ...(isMoney ? moneyColumns(reading) : [])].sort((a, b) => b.fit - a.fit);
}

function computedAmounts(reading: Reading): MeasureRef[] {
  return reading.schema.tables.flatMap((table) => {
    const quantity = table.columns.find(
      ({ words, kind }) => kind === "number" && ["quantiti", "quantity"].includes(words.at(-1) ?? ""),
    );
    const price = table.columns.find(
      ({ words, kind }) => kind === "number" && words.some((word) => word === "pric" || word === "price"),
    );
    return quantity && price ? [{ ref: { table, column: price }, times: { table, column: quantity }, fit: 0.5 }] : [];
  });
}

export function amountsOfMoneyWord(reading: Reading, from: number, to: number): MeasureRef[] {
  const isSaid = reading.linked.tokens.slice(from, to).some(({ stem }) => MONEY.has(stem));
  return isSaid ? moneyColumns(reading) : [];
}

/** "Time spent" is a duration. */
export function lastingAmounts(reading: Reading, from: number, to: number): MeasureRef[] {
  if (!reading.wordsBetween(from, to).some((word) => /^(time|duration|long)$/.test(word))) return [];
  const named = reading.linked.mentions.map((mention) => reading.table(mention));
  return reading.schema.tables.flatMap((table) =>
    table.columns
      .filter(
        (column) =>
          isAmount({ table, column }) &&
          column.words.some((word) => /^(duration|length|minut|second|ms|hour)$/.test(word)),
      )
      .map((column) => ({ ref: { table, column }, fit: named.includes(table) ? 1 : 0.5 })),
  );
}

/** Returns columns that hold money: totals, and prices times quantities. */
function moneyColumns(reading: Reading): MeasureRef[] {
  const totals = reading.schema.tables.flatMap((table) =>
    table.columns
      .filter(
        (column) =>
          isAmount({ table, column }) && column.words.some((word) => ["total", "amount", "revenu"].includes(word)),
      )
      .map((column) => ({ ref: { table, column }, fit: table.isView ? 0.55 : 0.62 })),
  );
  return [...totals, ...computedAmounts(reading)];
}

import type { ColumnName, TableName } from "../names";
import { alternatives as alt, mapped, optional, type Parser, separated, sequence } from "../parsers";
import type { Item } from "../question";
import type { NounPhrases } from "./noun-phrases";
import { AGGREGATES, DETERMINERS } from "./word-lists";
import type { Words } from "./words";

export type Items = ReturnType<typeof itemParsers>;

/** Returns the parsers of what a question asks for: columns, counts and figures. */
export function itemParsers({ say, table, names, determiner, distinct, and, thing }: Words & NounPhrases) {
  const countWords = say(
    "number of|count|count the number of|count the total number of|total number of|count of|total count of|the number of|the total number of|the count of",
  );
  const aggregateList = separated(
    mapped(sequence(optional(say("the")), table(AGGREGATES)), ([, fn]) => fn),
    and,
    4,
  );
  const aggregates: Parser<Item[]> = mapped(
    sequence(
      optional(say("the")),
      aggregateList,
      optional(say("of|of the|value of|value of the|values of|for|of all|number of|amount of")),
      names.columns,
    ),
    ([, fns, , column]) => {
      // "Total orders" are no sum of a view's column of that name.
      const options = column.isTable ? [] : column.options.filter(({ ref }) => ref.column.kind !== "text");
      return options.length === 0
        ? undefined
        : fns.map((fn) => ({ kind: "aggregate" as const, fn, column: { ...column, options } }));
    },
  );
  const unlessTable: Parser<ColumnName> = (from) => {
    const tables = names.tables(from);
    return names.columns(from).flatMap((reading) => {
      // "Hired after 2024" says what happened, and asks for no column.
      if (/^(?:\w+ed|born)$/i.test(reading.value.said)) return [];
      const isTable = tables.some(({ to, weight }) => to === reading.to && weight >= reading.weight);
      return isTable ? { ...reading, weight: reading.weight - 0.8 } : reading;
    });
  };
  const counted: Parser<Item> = mapped(
    sequence(optional(say("the corresponding|corresponding")), countWords, distinct, determiner, thing),
    ([, , isDistinct, , found]) => ({ kind: "count", entity: found, isDistinct }),
  );
  const shown: Parser<Item> = alt<Item>(
    mapped(sequence(determiner, distinct, unlessTable), ([, isDistinct, column]) => ({
      kind: "column",
      column,
      isDistinct,
    })),
    mapped(
      sequence(
        determiner,
        distinct,
        names.columns,
        say("of|for"),
        optional(say(`each|every|${DETERMINERS}`)),
        names.tables,
      ),
      ([, isDistinct, column, , , found]) => {
        const options = column.options.filter(({ ref }) => ref.table === found.table);
        return options.length === 0
          ? undefined
          : { kind: "column", column: { ...column, options }, isDistinct, owner: found };
      },
    ),
  );
  /** "First and last names" are two columns. */
  const bothNames: Parser<Item[]> = mapped(
    sequence(
      optional(say("the|their|its|his|her|a|each|every")),
      say("first and last name|first and last names|full name|full names|first name and last name"),
      optional(sequence(say("of|for"), optional(say(`each|every|${DETERMINERS}`)), names.tables)),
    ),
    ([, said, of]) => {
      const found =
        said.startsWith("full") && names.named("full name")
          ? null
          : ["first name", "last name"].map((name) => names.named(name));
      return found?.flatMap((column) => {
        const options = column?.options.filter(({ ref }) => !of || ref.table === of[2].table) ?? [];
        if (!column || options.length === 0) return [];
        return [
          { kind: "column" as const, column: { ...column, options }, isDistinct: false, ...(of && { owner: of[2] }) },
        ];
      });
    },
  );
  const item: Parser<Item[]> = alt<Item[]>(
    aggregates,
    mapped(alt(counted, shown), (one) => [one]),
    mapped(bothNames, (list) => (list.length === 2 ? list : undefined)),
    mapped(sequence(say("how many|and how many"), distinct, thing), ([, isDistinct, found]) => [
      { kind: "count", entity: found, isDistinct },
    ]),
  );
  const beside: Parser<Item[]> = mapped(
    sequence(say("the|their|its|his|her|the corresponding"), names.tables),
    ([, found]) => [{ kind: "display", table: found }],
  );
  const items = mapped(
    sequence(separated(item, and, 7), optional(sequence(and, beside, optional(say("they have|they|it has|it"))))),
    ([lists, last]) => [...withOwners(lists.flat()), ...(last?.[1] ?? [])],
  );
  return { item, items };
}

/** "Ids and names of clubs" are both of clubs. */
function withOwners(items: readonly Item[]): Item[] {
  const found: Item[] = [];
  let owner: TableName | null = null;
  for (const item of items.toReversed()) {
    if (item.kind === "column") owner = item.owner ?? owner;
    const options =
      item.kind === "column" && !item.owner ? item.column.options.filter(({ ref }) => ref.table === owner?.table) : [];
    if (item.kind === "column" && owner && options.length > 0) {
      found.unshift({ ...item, column: { ...item.column, options }, owner });
    } else found.unshift(item);
  }
  return found;
}

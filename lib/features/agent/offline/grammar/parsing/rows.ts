import type { TableName, ValueName } from "../names";
import { alternatives as alt, many, mapped, optional, type Parser, sequence } from "../parsers";
import type { Adjective, Modifier } from "../question";
import type { NounPhrases } from "./noun-phrases";
import type { Words } from "./words";

export type Rows = ReturnType<typeof rowParsers>;
type NamedRows = { table: TableName; modifiers: Modifier[] };

/** Returns the parsers of rows by the name of their table, perhaps with values, a number or an extreme before it. */
export function rowParsers({ say, table, number, names, determiner, adjective }: Words & NounPhrases) {
  const limit = mapped(optional(alt(number)), (found) => found ?? 1);
  const extremeWord = table<string, boolean>([
    ["highest|largest|greatest|biggest|maximum|most|max|best|top", true],
    ["lowest|smallest|least|minimum|fewest|min", false],
  ]);
  const topOf = <T>(parser: Parser<T>): Parser<{ found: T; top: Modifier }> =>
    mapped(
      sequence(
        optional(say("the|our|all the")),
        table<string, boolean>([
          ["top|best|highest|largest|biggest", true],
          ["bottom|worst|lowest|smallest", false],
        ]),
        number,
        parser,
      ),
      ([, isDescending, limit, found]) => ({ found, top: { kind: "top", limit, isDescending } }),
    );
  const rows: Parser<NamedRows> = alt<NamedRows>(
    mapped(topOf(names.tables), ({ found, top }) => ({ table: found, modifiers: [top] })),
    mapped(sequence(optional(say("the")), number, names.tables), ([, count, found]) => ({
      table: found,
      modifiers: [{ kind: "top", limit: count, isDescending: true }],
    })),
    mapped(sequence(determiner, names.tables), ([, found]) => ({ table: found, modifiers: [] })),
    mapped(sequence(determiner, many(names.values, 2), names.tables), ([, values, found]) => ({
      table: found,
      modifiers: values.length === 0 ? [] : [valuesOf(values)],
    })),
    mapped(sequence(optional(say("the")), limit, adjective, names.tables), ([, count, found, rowsOf]) => ({
      table: rowsOf,
      modifiers: [byAdjective(found, count)],
    })),
    mapped(sequence(optional(say("the")), adjective, number, names.tables), ([, found, count, rowsOf]) => ({
      table: rowsOf,
      modifiers: [byAdjective(found, count)],
    })),
  );
  return { limit, extremeWord, topOf, rows };
}

/** Returns the superlative of an adjective, such as that of the two oldest rows. */
export function byAdjective(adjective: Adjective, limit: number): Modifier {
  return { kind: "extreme", column: null, adjective, isDescending: adjective.isDescending, limit };
}

function valuesOf(values: readonly ValueName[]): Modifier {
  return {
    kind: "conditions",
    conditions: values.map((value) => ({ kind: "values" as const, column: null, values: [value], isNegated: false })),
  };
}

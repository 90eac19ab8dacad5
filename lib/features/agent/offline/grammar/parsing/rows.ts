import { ROWS_MAX } from "../../plan";
import { displayColumns } from "../../schema";
import { isPlural } from "../../words";
import type { TableName, ValueName } from "../names";
import { alternatives as alt, many, mapped, optional, type Parser, sequence } from "../parsers";
import type { Adjective, Modifier, ModifierOf } from "../question";
import type { NounPhrases } from "./noun-phrases";
import type { Words } from "./words";

export type Rows = ReturnType<typeof rowParsers>;
type NamedRows = { table: TableName; modifiers: Modifier[] };

/** Returns the parsers of rows by the name of their table, perhaps with values, a number or an extreme before it. */
export function rowParsers({ say, table, number, names, determiner, adjective, columnOf }: Words & NounPhrases) {
  const limit = mapped(optional(alt(number)), (found) => found ?? 1);
  const extremeWord = table<string, boolean>([
    ["highest|largest|greatest|biggest|maximum|most|max|best|top", true],
    ["lowest|smallest|least|minimum|fewest|min", false],
  ]);
  const ours = optional(say("the|our|all the"));
  const topOf = <T extends { said: string }>(parser: Parser<T>): Parser<{ found: T; top: Modifier }> =>
    alt<{ found: T; top: Modifier }>(
      mapped(sequence(ours, say(`${HIGH}|${LOW}`), number, parser), ([, said, limit, found]) => ({
        found,
        top: topModifier(said, limit),
      })),
      mapped(
        sequence(ours, say("highest|largest|biggest|lowest|smallest"), number, parser),
        ([, said, limit, found]) => ({ found, top: { ...topModifier(said, limit), said: "" } }),
      ),
      mapped(sequence(ours, say(`${HIGH}|${LOW}`), parser), ([, said, found]) => ({
        found,
        top: topModifier(said, limitOf(found.said)),
      })),
      mapped(
        sequence(ours, optional(sequence(say("top"), number)), say(SELLING), optional(number), parser),
        ([, before, said, after, found]) => ({
          found,
          top: { ...topModifier(said, before?.[1] ?? after ?? limitOf(found.said)), isSelling: true },
        }),
      ),
    );
  const rows: Parser<NamedRows> = alt<NamedRows>(
    mapped(topOf(names.tables), ({ found, top }) => ({ table: found, modifiers: [top] })),
    // "The largest orders" are those with the highest total.
    mapped(
      sequence(ours, optional(number), say("largest|biggest|highest|smallest|lowest"), optional(number), names.tables),
      ([, before, said, after, found]) => {
        const column = names.sizeOf(found);
        const limit = before ?? after ?? limitOf(found.said);
        const { isDescending } = topModifier(said, limit);
        return column
          ? { table: found, modifiers: [{ kind: "extreme", column, adjective: null, isDescending, limit }] }
          : undefined;
      },
    ),
    mapped(sequence(optional(say("the")), number, names.tables), ([, count, found]) => ({
      table: found,
      modifiers: [{ kind: "top", limit: count, isDescending: true, said: "" }],
    })),
    mapped(sequence(determiner, names.tables), ([, found]) => ({ table: found, modifiers: [] })),
    mapped(sequence(determiner, many(names.values, 2), names.tables), ([, values, found]) =>
      values.some((value) => isNameOf(value, found))
        ? undefined
        : { table: found, modifiers: values.length === 0 ? [] : [valuesOf(values)] },
    ),
    // "Active products".
    mapped(sequence(determiner, columnOf("boolean"), names.tables), ([, column, found]) => ({
      table: found,
      modifiers: [{ kind: "conditions", conditions: [{ kind: "flag", column, isSet: true }] }],
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

/** Whether a value is the name of one row, of which there are no several: "all London airports". */
function isNameOf({ hits }: ValueName, { table, said }: TableName): boolean {
  const names = displayColumns(table);
  return isPlural(said) && hits.some(({ ref }) => names.includes(ref.column));
}

const HIGH = "top|best";
const LOW = "bottom|worst";
const SELLING = "best selling|top selling|bestselling|most sold|worst selling|least sold";

/** Returns the number of rows that a superlative without one selects: "the best product", "the best products". */
export function limitOf(said: string): number {
  return isPlural(said) ? ROWS_MAX : 1;
}

function topModifier(said: string, limit: number): ModifierOf<"top"> {
  return { kind: "top", limit, isDescending: !/^(?:bottom|worst|lowest|smallest|least)/.test(said), said };
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

import { GRAIN_ADVERBS, GRAIN_NOUNS, type Grain } from "../../dates";
import type { ColumnKind } from "../../schema";
import type { ColumnName } from "../names";
import { alternatives as alt, lighter, mapped, optional, type Parser, separated, sequence } from "../parsers";
import type { Entity, Thing } from "../question";
import { ADJECTIVES, DETERMINERS, OPERATORS } from "./word-lists";
import type { Words } from "./words";

export type NounPhrases = ReturnType<typeof nounPhraseParsers>;

/** Returns the parsers of what a question speaks about: tables, columns, values and grains, with the words before them. */
export function nounPhraseParsers({ say, table, names }: Words) {
  const determiner = optional(say(DETERMINERS));
  const distinct = mapped(
    optional(say("distinct|different|unique|distinct kinds of|different kinds of")),
    (found) => found !== null,
  );
  const and = say(
    "and|,|, and|as well as|, as well as|along with|, along with|and also|and what is|and what are|, and what is|and list|and show|and give|together with|, together with",
  );
  const operator = table(OPERATORS);
  const adjective = table(ADJECTIVES);
  const columnName = mapped(sequence(determiner, names.columns), ([, column]) => column);
  const columnOf = (kind: ColumnKind): Parser<ColumnName> =>
    mapped(names.columns, (column) => {
      const options = column.options.filter(({ ref }) => ref.column.kind === kind);
      return options.length === 0 ? undefined : { ...column, options };
    });
  const grainName = table<string, Grain>([...Object.entries(GRAIN_NOUNS), ["calendar year", "year"]]);
  const adverb = table(Object.entries(GRAIN_ADVERBS));
  const thing = alt<Thing>(
    mapped(names.tables, (found) => ({ table: found })),
    // A name of a table and of a column means the table's rows.
    lighter(
      mapped(names.columns, (column) => ({ column })),
      0.8,
    ),
  );
  const entity: Parser<Entity> = alt<Entity>(
    thing,
    mapped(sequence(grainName, optional(sequence(say("of|of the|of their"), names.columns))), ([grain, column]) => ({
      grain,
      column: column?.[1] ?? null,
    })),
    mapped(sequence(names.columns, grainName), ([column, grain]) => ({ grain, column })),
  );
  const valueList = separated(names.values, say("or|, or|,"), 8);
  return { determiner, distinct, and, operator, adjective, columnName, columnOf, adverb, thing, entity, valueList };
}

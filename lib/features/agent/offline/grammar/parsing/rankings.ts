import { alternatives as alt, mapped, optional, type Parser, sequence } from "../parsers";
import type { Modifier } from "../question";
import type { NounPhrases } from "./noun-phrases";
import type { Orders } from "./orders";
import { byAdjective, type Rows } from "./rows";
import type { Ties } from "./ties";
import { AGGREGATES } from "./word-lists";
import type { Words } from "./words";

export type Rankings = ReturnType<typeof rankingParsers>;

/** Returns the parsers of superlatives and ranks: "with the highest age", "with the most players", "by revenue". */
export function rankingParsers(parts: Words & NounPhrases & Ties & Rows & Orders) {
  const { say, table, number, names, adjective, have, limit, extremeWord, sortItem } = parts;
  const extreme: Parser<Modifier> = alt<Modifier>(
    mapped(
      sequence(
        have,
        optional(number),
        extremeWord,
        optional(say("amount of|number of|value of")),
        optional(number),
        names.columns,
      ),
      ([, a, isDescending, , b, column]) => ({
        kind: "extreme",
        column,
        adjective: null,
        isDescending,
        limit: a ?? b ?? 1,
      }),
    ),
    mapped(
      sequence(say("whose|where the|with"), names.columns, say("is|are|is the|are the|was the"), extremeWord),
      ([, column, , isDescending]) => ({ kind: "extreme", column, adjective: null, isDescending, limit: 1 }),
    ),
    mapped(
      sequence(
        say("of the|for the|is the|are the|with the|that is the|who is the|by the"),
        limit,
        adjective,
        optional(names.tables),
      ),
      ([, count, found]) => byAdjective(found, count),
    ),
  );
  const most: Parser<Modifier> = alt<Modifier>(
    mapped(
      sequence(have, extremeWord, table(AGGREGATES), optional(say("of|of the")), names.columns),
      ([, isDescending, fn, , column]) => ({ kind: "most", of: { fn, column }, isDescending, limit: 1 }),
    ),
    mapped(
      sequence(
        have,
        table<string, boolean>([
          [
            "most|most number of|largest number of|highest number of|greatest number of|maximum number of|largest amount of|biggest number of|most of the",
            true,
          ],
          [
            "fewest|least|least number of|smallest number of|lowest number of|fewest number of|minimum number of",
            false,
          ],
        ]),
        names.tables,
      ),
      ([, isDescending, found]) => ({ kind: "most", of: { table: found }, isDescending, limit: 1 }),
    ),
  );
  /** "Top 5 customers by revenue". */
  const rank: Parser<Modifier> = mapped(
    sequence(say("by|by their|by the|in terms of|based on|ranked by|with the highest|with the largest"), sortItem),
    ([, by]) => ({ kind: "rank", by }),
  );
  const rankByRows: Parser<Modifier> = mapped(sequence(say("by|by their|by the"), names.tables), ([, found]) => ({
    kind: "rank",
    by: { kind: "count", entity: { table: found }, isDistinct: false },
  }));
  return { extreme, most, rank, rankByRows };
}

import { alternatives as alt, mapped, optional, type Parser, sequence } from "../parsers";
import type { Modifier } from "../question";
import type { NounPhrases } from "./noun-phrases";
import type { Ties } from "./ties";
import { AGGREGATES } from "./word-lists";
import type { Words } from "./words";

export type RelatedRows = ReturnType<typeof relatedRowParsers>;

/** Returns the parsers of conditions on related rows: "with more than 3 players", "without any loans". */
export function relatedRowParsers(parts: Words & NounPhrases & Ties) {
  const { say, table, number, names, operator, pronoun, linking, preposition, have } = parts;
  const having: Parser<Modifier> = alt<Modifier>(
    mapped(sequence(have, operator, number, names.tables), ([, op, value, found]) => ({
      kind: "having",
      of: { table: found },
      op,
      value,
    })),
    mapped(
      sequence(
        have,
        optional(say("a|an|the")),
        table(AGGREGATES),
        optional(say("of|of the")),
        names.columns,
        optional(say("of|is")),
        operator,
        number,
      ),
      ([, , fn, , column, , op, value]) => ({ kind: "having", of: { fn, column }, op, value }),
    ),
    mapped(sequence(have, number, say("or more"), names.tables), ([, value, , found]) => ({
      kind: "having",
      of: { table: found },
      op: ">=",
      value,
    })),
  );
  const exists: Parser<Modifier> = alt<Modifier>(
    mapped(
      sequence(
        optional(pronoun),
        say(
          "have not|has not|haven't|hasn't|did not|didn't|do not|don't|does not|doesn't|have never|has never|never|were never|were not|was not|are not|are never|was never|is not",
        ),
        optional(alt(linking, say("have|has"))),
        optional(preposition),
        optional(say("any|a|an")),
        names.tables,
        optional(say("yet|so far|at all|anything|before")),
      ),
      ([, , , , , found]) => ({ kind: "exists", table: found, isNegated: true }),
    ),
    mapped(
      sequence(
        optional(pronoun),
        optional(say("have|has|did|do|does")),
        linking,
        optional(preposition),
        say("no|not a single"),
        names.tables,
        optional(say("yet|so far|at all|anything|before")),
      ),
      ([, , , , , found]) => ({ kind: "exists", table: found, isNegated: true }),
    ),
    mapped(
      sequence(
        say("that|who|which|have|who have|that have|which have"),
        optional(say("ever")),
        optional(linking),
        optional(preposition),
        say("any|some|at least one"),
        names.tables,
      ),
      ([, , , , , found]) => ({ kind: "exists", table: found, isNegated: false }),
    ),
    mapped(
      sequence(
        optional(say("is|are|was|were")),
        say(
          "without|without any|without a|with no|that have no|that has no|who have no|who has no|have no|has no|that do not have|that do not have any|that don't have|that don't have any|who do not have|who do not have any|who don't have|who don't have any|which do not have any|which do not have|do not have|do not have any|does not have|does not have any|that does not have any|don't have any|have never had|never had any|have not had any|who does not have any|that did not have any|did not have any|not have any",
        ),
        names.tables,
      ),
      ([, , found]) => ({ kind: "exists", table: found, isNegated: true }),
    ),
    mapped(
      sequence(
        say(
          "with any|with some|that have a|that have any|that have some|that has a|who have a|who has a|who have any|have a|have any|have some|having a|with a|with an|have an|has an|has a",
        ),
        names.tables,
      ),
      ([, found]) => ({ kind: "exists", table: found, isNegated: false }),
    ),
  );
  return { having, exists };
}

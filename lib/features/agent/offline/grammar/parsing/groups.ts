import { alternatives as alt, mapped, optional, type Parser, separated, sequence } from "../parsers";
import type { Entity, Modifier } from "../question";
import type { NounPhrases } from "./noun-phrases";
import type { Ties } from "./ties";
import type { Words } from "./words";

export type Groups = ReturnType<typeof groupParsers>;

/** Returns the parsers of groups: "per club", "by month", "does each airline have". */
export function groupParsers(parts: Words & NounPhrases & Ties) {
  const { say, names, determiner, adverb, thing, entity, valueList, tie, linking } = parts;
  const each = say("each|every|each of the|different|each different|all the different|each distinct|per|all different");
  const groups: Parser<Modifier> = mapped(
    alt(
      sequence(
        optional(alt<unknown>(tie, say("there are in|are there in|are there for|there are for"))),
        each,
        mapped(optional(separated(entity, say("and|,|and each|and every"), 3)), (list) => list ?? []),
        optional(say("have|has|had|own|owns|one|one of them|of them")),
      ),
      mapped(sequence(adverb, optional(say("basis"))), ([grain]): [unknown, string, Entity[], string | null] => [
        null,
        grain,
        [{ grain, column: null }],
        null,
      ]),
      sequence(
        optional(say("grouped|group|broken down|split")),
        say("by|by the|by each"),
        separated(entity, say("and|,|and by"), 3),
        optional(say("have")),
      ),
    ),
    ([, , entities]) => ({ kind: "groups", entities }),
  );
  /** "How many flights does each airline have": the things come before the verb. */
  const subject: Parser<Modifier[]> = mapped(
    sequence(
      say("does|do|did|has|have|had|is|are|was|were"),
      alt<Modifier[]>(
        mapped(sequence(each, separated(entity, say("and|,"), 2)), ([, entities]) => [{ kind: "groups", entities }]),
        mapped(sequence(determiner, names.tables), ([, found]) => [{ kind: "scope", table: found }]),
        mapped(sequence(determiner, optional(thing), valueList), ([, of, values]): Modifier[] => [
          ...(of && "table" in of ? [{ kind: "scope" as const, table: of.table }] : []),
          {
            kind: "conditions",
            conditions: [{ kind: "values", column: of && "column" in of ? of.column : null, values, isNegated: false }],
          },
        ]),
      ),
      optional(say("have|has")),
      optional(linking),
      // "How many movies did Quentin Tarantino direct" goes through `directed_by`.
      optional(names.tables),
    ),
    ([, modifiers, , , through]) => [...modifiers, ...(through ? [{ kind: "scope" as const, table: through }] : [])],
  );
  return { groups, subject };
}

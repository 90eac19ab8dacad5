import { alternatives as alt, optional, type Parser, sequence } from "../parsers";
import { LINKING_VERBS } from "./word-lists";
import type { Words } from "./words";

export type Ties = ReturnType<typeof tieParsers>;

/** Returns the parsers of the words that tie a part of a question to its rows, such as "who are from" and "that have". */
export function tieParsers({ say }: Words) {
  const pronoun = say(
    "that|which|who|whose|where|when|but|and|and that|and who|and whose|for which|in which|of which|for which there are|in which there are|where there are|in which there is",
  );
  const auxiliary = say(
    "is|are|was|were|be|is still|are still|is currently|are currently|has|have|had|has been|have been|had been|having|with|do|does|did",
  );
  const linking = say(LINKING_VERBS);
  const preposition = say("from|in|of|for|on|at|by|with|to|as|name|within|inside|under|during|among|through|using");
  const article = say("the|a|an|any|all|their|its|all of the|value|the value|either|either the");
  /** Reads the words that tie a condition to its rows, at least one. */
  const tie: Parser<(string | null)[]> = (from) =>
    sequence(
      optional(pronoun),
      optional(auxiliary),
      optional(linking),
      optional(preposition),
      optional(article),
    )(from).filter(
      // "All orders but cancelled ones" are the others.
      ({ to, value: [first, verb, link] }) => to > from && (first !== "but" || verb !== null || link !== null),
    );
  /** "Have a customer" is a condition, and "does a customer have" asks for an average. */
  const indefinite = sequence(
    optional(pronoun),
    say("have|has|had|having|with|do|does|did"),
    optional(say("not|never")),
    say("a|an|any"),
  );
  /** Reads a tie to the rows of another table, which "and" alone would only add. Returns its words. */
  const relation: Parser<string> = (from) =>
    indefinite(from).length > 0
      ? []
      : tie(from)
          .filter(
            ({ value: [first, ...rest] }) =>
              !/^(?:and|but)$/.test(first ?? "") || rest.slice(0, 3).some((word) => word !== null),
          )
          .map((reading) => ({ ...reading, value: reading.value.filter((word) => word !== null).join(" ") }));
  /** Reads the words that tie a figure of related rows to them, at least one. */
  const have: Parser<unknown> = (from) =>
    sequence(
      optional(pronoun),
      optional(auxiliary),
      // "Shared by at least two players", but "shared by players of A or B" has to be of both.
      optional(alt(linking, say("shared"))),
      optional(say("by|of|for|in|on|at|to")),
      optional(say("the|a")),
    )(from).filter(({ to }) => to > from);
  return { pronoun, linking, preposition, tie, indefinite, relation, have };
}

import { optional, type Parser, sequence } from "../parsers";
import { LINKING_VERBS } from "./word-lists";
import type { Words } from "./words";

export type Ties = ReturnType<typeof tieParsers>;

/** Returns the parsers of the words that tie a part of a question to its rows, such as "who are from" and "that have". */
export function tieParsers({ say }: Words) {
  const pronoun = say(
    "that|which|who|whose|where|when|but|and|and that|and who|and whose|for which|in which|of which|for which there are|in which there are|where there are|in which there is",
  );
  const auxiliary = say("is|are|was|were|be|has|have|had|has been|have been|had been|having|with|do|does|did");
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
    )(from).filter(({ to }) => to > from);
  /** Reads a tie that says more than "and", which adds rows of another table. */
  const relation: Parser<unknown> = (from) =>
    tie(from).filter(({ value: [first, ...rest] }) =>
      first === "and" || first === "but" ? rest.slice(0, 3).some((word) => word !== null) : true,
    );
  /** Reads the words that tie a figure of related rows to them, at least one. */
  const have: Parser<unknown> = (from) =>
    sequence(
      optional(pronoun),
      optional(auxiliary),
      optional(linking),
      optional(say("by|of|for|in|on|at|to")),
      optional(say("the|a")),
    )(from).filter(({ to }) => to > from);
  return { pronoun, linking, preposition, tie, relation, have };
}

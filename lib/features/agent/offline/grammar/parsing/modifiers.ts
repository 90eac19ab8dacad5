import { isPlural } from "../../words";
import { alternatives as alt, many, mapped, optional, type Parser, sequence } from "../parsers";
import type { Modifier } from "../question";
import type { Conditions } from "./conditions";
import type { Groups } from "./groups";
import type { NounPhrases } from "./noun-phrases";
import type { Orders } from "./orders";
import type { Rankings } from "./rankings";
import type { RelatedRows } from "./related-rows";
import type { Rows } from "./rows";
import type { Ties } from "./ties";
import { FILLERS } from "./word-lists";
import type { Words } from "./words";

export type Modifiers = ReturnType<typeof modifierParsers>;
type Parts = Words & NounPhrases & Ties & Conditions & Rows & Groups & Orders & Rankings & RelatedRows;

/** Returns the parser of all that follows the things a question asks for, up to its end. */
export function modifierParsers(parts: Parts) {
  const {
    tokens,
    say,
    date,
    at,
    names,
    valueList,
    columnOf,
    indefinite,
    relation,
    linking,
    conditionOr,
    conditions,
    excluded,
    lacking,
    comparison,
    rows,
  } = parts;
  const { groups, subject, order, figureFirst, sortedBy, extreme, most, having, exists, rank, rankByRows } = parts;
  const filler: Parser<Modifier | null> = alt<Modifier | null>(
    mapped(say(FILLERS), () => null),
    // "The treatments they have done", "the person who operated it".
    mapped(sequence(say("they|it|he|she"), optional(say("have|has|had")), alt(linking, say("have|has"))), () => null),
    mapped(sequence(say("who|that|which"), linking, say("it|them")), () => null),
  );
  /** Looks for a value, without reading it. */
  const value: Parser<boolean> = (from) => [
    { to: from, value: tokens[from]?.isQuoted === true || names.values(from).length > 0, weight: 0 },
  ];
  const bareValues: Parser<(Modifier | null)[]> = mapped(valueList, (values) => [
    { kind: "conditions", conditions: [{ kind: "values", column: null, values, isNegated: false, isBare: true }] },
  ]);
  /** "Invoices due next week". */
  const bareTime: Parser<(Modifier | null)[]> = mapped(
    sequence(columnOf("date"), optional(say("in|on|at")), date),
    ([column, , found]) => [{ kind: "conditions", conditions: [{ kind: "date", column, date: found, isBare: true }] }],
  );
  const modifier: Parser<(Modifier | null)[]> = alt<(Modifier | null)[]>(
    mapped(comparison, (one) => [one]),
    // "Before 1980" needs no other word.
    mapped(date, (found) =>
      found.isOpen || !found.isBareYear
        ? [{ kind: "conditions" as const, conditions: [{ kind: "date" as const, column: null, date: found }] }]
        : undefined,
    ),
    mapped(
      alt(...(["called", "named", "titled", "born"] as const).map((word) => sequence(at(word), conditionOr))),
      ([, found]): (Modifier | null)[] => [{ kind: "conditions", conditions: [found] }],
    ),
    // "Orders shipped or delivered".
    (from) => (tokens[from]?.isQuoted ? [] : bareValues(from)),
    bareTime,
    mapped(
      alt(
        conditions,
        excluded,
        lacking,
        groups,
        order,
        figureFirst,
        sortedBy,
        extreme,
        most,
        having,
        exists,
        rank,
        rankByRows,
      ),
      (one) => [one],
    ),
    (from) => (indefinite(from).length > 0 ? [] : subject(from)),
    mapped(
      sequence(alt(say("across|among|of every|of each|for each|for every|about|of the|of"), relation), rows, value),
      ([tie, found, followed]) => {
        // "Deals by rep" are grouped, unlike "deals by reps" and "deals by rep Anna".
        const isGroup = tie === "by" && !isPlural(found.table.said) && found.modifiers.length === 0 && !followed;
        return isGroup ? undefined : [{ kind: "scope" as const, table: found.table }, ...found.modifiers];
      },
    ),
    mapped(filler, () => []),
  );
  /** "Which country is it built in?" ends with words that say nothing. */
  const end = sequence(
    optional(say("is|are|was|were|have been|has been|been|do|does|did|have|has")),
    optional(linking),
    optional(say("in|at|from|to|with|of|for|on|there|it")),
    optional(say("?|.|? .|??|;")),
  );
  const tail = mapped(sequence(many(modifier, 7), end), ([lists]) => lists.flat().filter((one) => one !== null));

  return { end, tail };
}

import type { FoundDate } from "../../link";
import { nameWords, TEXT_PLACES } from "../../words";
import type { ColumnName, ValueName } from "../names";
import { alternatives as alt, mapped, optional, type Parser, separated, sequence } from "../parsers";
import type { Condition, Modifier, Operator } from "../question";
import type { NounPhrases } from "./noun-phrases";
import type { Ties } from "./ties";
import type { Words } from "./words";

export type Conditions = ReturnType<typeof conditionParsers>;

/** Fit of a word of a column's name before a value of that column. */
const PARTLY = 2.5;

const DATES_MAX = 4;

/** Returns the time that spans one after the other have together; null with a gap: "2024 or 2025". */
function joinedDates(dates: readonly FoundDate[]): FoundDate | null {
  const sorted = dates.toSorted((a, b) => ((a.start ?? "") < (b.start ?? "") ? -1 : 1));
  const [first] = sorted;
  const isJoined = sorted.every(({ start }, i) => i === 0 || (start !== null && sorted[i - 1]?.end === start));
  return first && isJoined ? { ...first, end: sorted.at(-1)?.end ?? null, isBareYear: false } : null;
}

/** Returns the parsers of conditions: comparisons, values, texts, empty fields and times. */
export function conditionParsers(parts: Words & NounPhrases & Ties) {
  const { say, table, number, quoted, date, year, names } = parts;
  const { determiner, operator, adjective, columnName, columnOf, valueList, tie } = parts;
  const is = say("is|are|was|were|of|equals|equal to|is equal to|as|=|being|has|have|in|that is|that are");
  const isNot = say(
    "is not|are not|isn't|aren't|was not|were not|not|not equal to|is not equal to|does not equal|other than|is not in|are not in|is not from|are not from",
  );
  const verb = mapped(
    optional(
      alt(
        mapped(isNot, () => true),
        mapped(is, () => false),
      ),
    ),
    (found) => found ?? false,
  );
  /** "The code AD" is a value of a column whose name has that word. */
  const hinted = (
    words: readonly string[],
    values: readonly ValueName[],
    isNegated: boolean,
  ): Condition | undefined => {
    const found = values.map(({ hits, said }) => ({
      hits: hits.filter(({ ref }) => words.every((word) => [...nameWords(ref.column.name)].includes(word))),
      said,
    }));
    const refs = found.flatMap(({ hits }) => hits.map(({ ref }) => ({ ref, fit: PARTLY })));
    const isAll = found.every(({ hits }) => hits.length > 0);
    return isAll
      ? { kind: "values", column: { options: refs, said: words.join(" ") }, values: found, isNegated }
      : undefined;
  };
  const valuesIn = (column: ColumnName | null, values: ValueName[], isNegated = false): Condition => ({
    kind: "values",
    column,
    values,
    isNegated,
  });
  const comparing = (column: ColumnName, op: Operator, value: number): Condition => ({
    kind: "compare",
    column,
    op,
    value,
  });
  const unknownText: Parser<string> = (from) => (names.values(from).length > 0 ? [] : quoted(from));
  const asSaid = (column: ColumnName, text: string, isNegated: boolean): Condition | undefined => {
    const options = column.options.filter(({ ref }) => ref.column.kind === "text");
    const hits = options.map(({ ref }) => ({ ref, value: text, isExact: true }));
    return options.length === 0
      ? undefined
      : { kind: "values", column: { ...column, options }, values: [{ hits, said: text, isUnknown: true }], isNegated };
  };
  const olderThan: Parser<Condition> = mapped(sequence(adjective, say("than"), number), ([found, , value]) => ({
    kind: "compare",
    column: null,
    adjective: found,
    op: found.isDescending ? ">" : "<",
    value,
  }));
  const inverse: Record<Operator, Operator> = { "=": "<>", "<>": "=", "<": ">=", ">": "<=", "<=": ">", ">=": "<" };
  const numberList = separated(number, say("or|, or|,"), 8);
  const condition: Parser<Condition> = alt<Condition>(
    mapped(sequence(columnName, verb, optional(say("either")), numberList), ([column, isNegated, , values]) =>
      values.length < 2 ? undefined : { kind: "numbers", column, values, isNegated },
    ),
    mapped(
      sequence(valueList, say("as|as a|as the|as their|as its|for the|for their|for its"), names.columns),
      ([values, , column]) => valuesIn(column, values),
    ),
    mapped(
      sequence(say("do not have|does not have|did not have|not have|without"), columnName, optional(is), valueList),
      ([, column, , values]) => valuesIn(column, values, true),
    ),
    mapped(sequence(columnName, verb, optional(operator), number), ([column, isNegated, op, value]) =>
      // "Things that cost more" have a price.
      /\bcosts?$/i.test(column.said)
        ? undefined
        : comparing(column, isNegated ? inverse[op ?? "="] : (op ?? "="), value),
    ),
    mapped(sequence(operator, number, names.columns), ([op, value, column]) => comparing(column, op, value)),
    mapped(sequence(number, names.columns), ([value, column]) => comparing(column, "=", value)),
    mapped(
      sequence(columnName, optional(is), say("between"), number, say("and|to"), number),
      ([column, , , low, , high]) => ({ kind: "between", column, low, high }),
    ),
    olderThan,
    // A text in quotes after the name of its column needs no look-up.
    mapped(sequence(columnName, verb, unknownText), ([column, isNegated, text]) => asSaid(column, text, isNegated)),
    mapped(sequence(determiner, names.hints, verb, unknownText), ([, [word = ""], isNegated, text]) => {
      const column = names.withWord(word);
      return column ? asSaid(column, text, isNegated) : undefined;
    }),
    mapped(sequence(columnName, verb, valueList), ([column, isNegated, values]) => valuesIn(column, values, isNegated)),
    // "Not from the country of France".
    mapped(sequence(say("not from|not in"), columnName, optional(is), valueList), ([, column, , values]) =>
      valuesIn(column, values, true),
    ),
    mapped(sequence(optional(isNot), columnOf("boolean")), ([not, column]) => ({
      kind: "flag",
      column,
      isSet: not === null,
    })),
    mapped(sequence(names.values, names.columns), ([value, column]) => valuesIn(column, [value])),
    mapped(
      sequence(say("called|named|titled|entitled"), valueList),
      ([, values]) => hinted(["name"], values, false) ?? hinted(["titl"], values, false),
    ),
    mapped(sequence(say("born|born in|born on"), date), ([, found]) => {
      const column = names.withWord("birth");
      return column ? { kind: "date", column, date: found } : undefined;
    }),
    mapped(sequence(say("born in|born on"), valueList), ([, values]) => hinted(["birth"], values, false)),
    mapped(sequence(determiner, names.hints, verb, valueList), ([, words, isNegated, values]) =>
      hinted(words, values, isNegated),
    ),
    mapped(sequence(determiner, valueList), ([, values]) => valuesIn(null, values)),
    mapped(sequence(say("not|not in|not from|other than|except|excluding"), valueList), ([, values]) =>
      valuesIn(null, values, true),
    ),
    mapped(
      sequence(
        columnName,
        optional(say("that|which|is|are|whose name|whose value")),
        table([...TEXT_PLACES, ["includes|include|including|with|has|have", "anywhere" as const]]),
        optional(say("the word|the letter|the letters|the substring|the text|the string|the phrase")),
        quoted,
      ),
      ([column, , where, , value]) => ({ kind: "text", column, text: value, where, isNegated: false }),
    ),
    mapped(
      sequence(
        optional(say("contain|contains|containing|include|includes|including|have|has|with")),
        optional(say("the letter|the letters|the word|the substring|the string|the text|the phrase")),
        quoted,
        say("in|in their|in its|in the|in his"),
        names.columns,
      ),
      ([, , value, , column]) => ({ kind: "text", column, text: value, where: "anywhere", isNegated: false }),
    ),
    mapped(sequence(say("no|an unknown|unknown|missing"), names.columns), ([word, column]) =>
      // "No devices" are rows that are missing.
      word === "no" && column.isTable ? undefined : { kind: "empty", column, isNegated: false },
    ),
    mapped(
      sequence(columnName, say("is missing|is unknown|is null|is empty|are missing|are unknown|is not known")),
      ([column]) => ({ kind: "empty", column, isNegated: false }),
    ),
    mapped(
      sequence(
        optional(columnName),
        optional(say("is|was|in|of|on|either")),
        separated(date, say("or|or in|or on"), DATES_MAX),
      ),
      ([column, , found]) => {
        const joined = found.length < 2 ? null : joinedDates(found);
        return joined ? { kind: "date", column, date: joined } : undefined;
      },
    ),
    mapped(sequence(optional(columnName), optional(say("is|was|in|of|on")), date), ([column, , found]) => ({
      kind: "date",
      column,
      date: found,
    })),
    mapped(
      sequence(
        optional(columnName),
        optional(say("is|was|in|of|on|either")),
        separated(year, say("or|or in|, or|,"), 4),
      ),
      ([column, , years]) => (years.length < 2 ? undefined : { kind: "years", column, values: years }),
    ),
  );
  /** "In the state of Hawaii or the state of Wisconsin" are two values of one column. */
  const conditionOr: Parser<Condition> = mapped(
    separated(
      condition,
      sequence(say("or|, or"), optional(say("in|from|with|in the|that are|who are|that is|are|is|whose"))),
      4,
    ),
    (found) => (found.length === 1 ? found[0] : { kind: "either", conditions: found }),
  );
  const conditions: Parser<Modifier> = mapped(
    sequence(tie, separated(conditionOr, sequence(alt(say("and|,|, and|but")), optional(tie)))),
    ([tied, found]) =>
      // "Which contains 'CV'" asks for a part of a text.
      tied.some((word) => /^contain/.test(word ?? "")) && found.some(({ kind }) => kind === "values")
        ? undefined
        : { kind: "conditions", conditions: found },
  );
  const excluded: Parser<Modifier> = mapped(
    sequence(
      say("not in|not from|outside|outside of|except|except for|excluding|other than|but|but not|besides|apart from"),
      optional(say("the|those from|those in|those that are")),
      valueList,
      optional(alt<unknown>(say("ones|one"), names.tables)),
    ),
    ([, , values]) => ({ kind: "conditions", conditions: [valuesIn(null, values, true)] }),
  );
  /** "Without items" may be a count of zero, and "without newsletter" a flag. */
  const isLack = ({ ref: { column } }: ColumnName["options"][number]) =>
    column.isReference || column.kind === "text" || column.kind === "date";
  const lacking: Parser<Modifier> = mapped(
    sequence(
      optional(say("that|who|which")),
      optional(say("is|are|was|were")),
      say("without|without a|without an|without any"),
      columnName,
    ),
    ([, , , column]) =>
      column.isTable || !column.options.every(isLack)
        ? undefined
        : { kind: "conditions", conditions: [{ kind: "empty", column, isNegated: false }] },
  );
  const comparison: Parser<Modifier> = mapped(olderThan, (found) => ({ kind: "conditions", conditions: [found] }));
  return { conditionOr, conditions, excluded, lacking, comparison };
}

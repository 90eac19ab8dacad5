import type { Linked, ValueHit } from "../link";
import type { Schema } from "../schema";
import { type ColumnName, Names, type TableName, type ValueName } from "./names";
import { alternatives as alt, many, mapped, optional, type Parser, type Reading, separated, sequence } from "./parsers";
import type { Adjective, Aggregate, Condition, Entity, Item, Modifier, Operator, Question } from "./question";

/**
 * Reads a question by a small grammar that has to explain every word. Returns all complete readings; a word that no
 * rule explains leaves none.
 */
export function parseQuestion(linked: Linked, schema: Schema, hits: readonly ValueHit[]): Reading<Question>[] {
  const { tokens } = linked;
  if (tokens.length > TOKENS_MAX) return [];
  return grammar(linked, new Names(tokens, schema, hits))(0).filter(({ to }) => to === tokens.length);
}

/** A name of a table and of a column means the table's rows. */
function lighter<T>(parser: Parser<T>): Parser<T> {
  return (from) => parser(from).map((reading) => ({ ...reading, weight: reading.weight - 0.8 }));
}

/** A longer question has more parts than the grammar knows. */
const TOKENS_MAX = 45;

const OPERATORS: [string, Operator][] = [
  ["no less than|not less than|at least|a minimum of|>=|greater than or equal to|more than or equal to", ">="],
  ["no more than|not more than|at most|up to|a maximum of|<=|less than or equal to", "<="],
  [
    "more than|greater than|higher than|larger than|bigger than|over|above|exceeding|>|older than|longer than|after",
    ">",
  ],
  ["less than|fewer than|lower than|smaller than|under|below|<|younger than|shorter than|before", "<"],
  ["exactly|equal to|equals|=|only", "="],
];
const AGGREGATES: [string, Aggregate][] = [
  ["average|avg|mean", "avg"],
  ["maximum|max|highest|largest|greatest|biggest", "max"],
  ["minimum|min|lowest|smallest", "min"],
  ["total|sum|combined|overall", "sum"],
];
const ADJECTIVES: [string, Adjective][] = [
  ["oldest|older", { columns: ["age"], opposite: "birth", isDescending: true }],
  ["youngest|younger", { columns: ["age"], opposite: "birth", isDescending: false }],
  ["longest|longer", { columns: ["length", "duration"], isDescending: true }],
  ["shortest|shorter", { columns: ["length", "duration", "height"], isDescending: false }],
  ["tallest|taller", { columns: ["height"], isDescending: true }],
  ["heaviest|heavier", { columns: ["weight"], isDescending: true }],
  ["lightest|lighter", { columns: ["weight"], isDescending: false }],
  ["most expensive|priciest|more expensive", { columns: ["price", "cost"], isDescending: true }],
  ["cheapest|least expensive|cheaper", { columns: ["price", "cost"], isDescending: false }],
  ["most populous|most populated", { columns: ["population"], isDescending: true }],
  ["least populous|least populated", { columns: ["population"], isDescending: false }],
  ["newest|latest|most recent|most recently", { columns: ["date", "year"], isDescending: true }],
  ["earliest", { columns: ["date", "year"], isDescending: false }],
];
const LEADS =
  "please|sort|order|can you|could you|would you|tell me|show me|give me|find me|get me|show|list|list out|give|find|find out|return|tell|display|get|compute|calculate|report|select|i want to know|i want|what is|what are|what was|what were|what's|what|which|which are|which is|who are|who is";
const DETERMINERS =
  "the|a|an|all|all of|all the|all of the|any|our|their|its|his|her|these|those|of the|of all|of all the|list of|the list of|the values of|existing";
/** Verbs that only say that two tables belong together. */
const LINKING_VERBS =
  "located|held|made|produced|used|use|uses|using|given|written|released|published|hired|employed|played|owned|built|founded|created|taught|offered|served|belonging|belong|belongs|associated|corresponding|registered|performed|conducted|working|enrolled|own|owns|live|lives|living|come|comes|named|called|titled|sell|sells|sold|contain|contains|containing|recorded|assigned|based|work|works|speak|speaks|spoken|cast|received|happened|occurred|caused|led|owns|manage|manages|operated|operate|reported|joined|grown|sent";
const FILLERS =
  "are there|there are|is there|do we have|we have|do you have|exist|exists|in total|in the database|in this database|in the table|in the data|on record|in all|altogether|overall|respectively|are recorded|are listed|are available|available|recorded|are in the database|please|from the database|too|,";

function grammar(linked: Linked, names: Names): Parser<Question> {
  const { tokens, dates } = linked;
  const starts: number[] = [];
  let text = "";
  for (const { lower } of tokens) {
    starts.push(text.length);
    text += `${lower} `;
  }
  /** Reads one of some phrases. */
  const say = (source: string): Parser<string> => {
    const phrases = source.split("|").sort((a, b) => b.length - a.length);
    return (from) => {
      const start = starts[from];
      if (start === undefined || tokens[from]?.isQuoted) return [];
      return phrases.flatMap((phrase) => {
        if (!text.startsWith(`${phrase} `, start)) return [];
        const length = phrase.split(" ").length;
        return [{ to: from + length, value: phrase, weight: length }];
      });
    };
  };
  const table = <K extends string, V>(rows: [K, V][]): Parser<V> =>
    alt(...rows.map(([source, value]) => mapped(say(source), () => value)));
  const number: Parser<number> = (from) => {
    const token = tokens[from];
    if (token?.lower === "one") return [{ to: from + 1, value: 1, weight: 1 }];
    return token && token.number !== null ? [{ to: from + 1, value: token.number, weight: 1.2 }] : [];
  };
  const quoted: Parser<string> = (from) => {
    const token = tokens[from];
    return token?.isQuoted ? [{ to: from + 1, value: token.raw, weight: 1 }] : [];
  };
  const date: Parser<(typeof dates)[number]> = (from) =>
    dates
      .filter(({ fromToken }) => fromToken === from)
      .map((value) => ({ to: value.toToken, value, weight: value.toToken - value.fromToken }));

  const determiner = optional(say(DETERMINERS));
  const distinct = mapped(
    optional(say("distinct|different|unique|distinct kinds of|different kinds of")),
    (found) => found !== null,
  );
  const and = say("and|,|, and|as well as|along with|together with");
  const operator = table(OPERATORS);
  const adjective = table(ADJECTIVES);
  const columnName = mapped(sequence(determiner, names.columns), ([, column]) => column);
  const entity: Parser<Entity> = alt<Entity>(
    mapped(names.tables, (found) => ({ table: found })),
    lighter(mapped(names.columns, (column) => ({ column }))),
  );

  // --- conditions -------------------------------------------------------------------------------------------------

  const is = say("is|are|was|were|of|equals|equal to|is equal to|as|=|being|has|have|in|that is|that are");
  const isNot = say(
    "is not|are not|isn't|aren't|was not|were not|not|not equal to|is not equal to|does not equal|other than",
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
  const valueList = separated(names.values, say("or|, or|,"), 8);
  const inverse: Record<Operator, Operator> = { "=": "<>", "<>": "=", "<": ">=", ">": "<=", "<=": ">", ">=": "<" };
  const numberList = separated(number, say("or|, or|,"), 8);
  const condition: Parser<Condition> = alt<Condition>(
    mapped(sequence(columnName, verb, optional(say("either")), numberList), ([column, isNegated, , values]) =>
      values.length < 2 ? undefined : { kind: "numbers", column, values, isNegated },
    ),
    mapped(
      sequence(valueList, say("as|as a|as the|as their|as its|for the|for their|for its"), names.columns),
      ([values, , column]) => ({ kind: "values", column, values, isNegated: false }),
    ),
    mapped(
      sequence(say("do not have|does not have|did not have|not have|without"), columnName, optional(is), valueList),
      ([, column, , values]) => ({ kind: "values", column, values, isNegated: true }),
    ),
    mapped(sequence(columnName, verb, optional(operator), number), ([column, isNegated, op, value]) =>
      // "Things that cost more" have a price.
      /\bcosts?$/i.test(column.said)
        ? undefined
        : {
            kind: "compare",
            column,
            op: isNegated ? inverse[op ?? "="] : (op ?? "="),
            value,
          },
    ),
    mapped(sequence(operator, number, names.columns), ([op, value, column]) => ({
      kind: "compare",
      column,
      op,
      value,
    })),
    mapped(
      sequence(columnName, optional(is), say("between"), number, say("and|to"), number),
      ([column, , , low, , high]) => ({
        kind: "between",
        column,
        low,
        high,
      }),
    ),
    mapped(sequence(adjective, say("than"), number), ([found, , value]) => ({
      kind: "compare",
      column: null,
      adjective: found,
      op: found.isDescending ? ">" : "<",
      value,
    })),
    mapped(sequence(columnName, verb, valueList), ([column, isNegated, values]) => ({
      kind: "values",
      column,
      values,
      isNegated,
    })),
    mapped(sequence(names.values, names.columns), ([value, column]) => ({
      kind: "values",
      column,
      values: [value],
      isNegated: false,
    })),
    mapped(sequence(determiner, valueList), ([, values]) => ({
      kind: "values",
      column: null,
      values,
      isNegated: false,
    })),
    mapped(sequence(say("not|not in|not from|other than|except|excluding"), valueList), ([, values]) => ({
      kind: "values",
      column: null,
      values,
      isNegated: true,
    })),
    mapped(
      sequence(
        columnName,
        optional(say("that|which|is|are")),
        table([
          [
            "contains|contain|containing|includes|include|including|with|has|have|contains the word|contain the word|contains the substring|contain the substring|has the substring|contains the letter|contain the letter|contains the letters|with the letter|like",
            "anywhere" as const,
          ],
          ["starts with|start with|starting with|begins with|begin with|beginning with", "start" as const],
          ["ends with|end with|ending with|ending in", "end" as const],
        ]),
        quoted,
      ),
      ([column, , where, value]) => ({ kind: "text", column, text: value, where, isNegated: false }),
    ),
    mapped(
      sequence(
        say("the letter|the letters|the word|the substring|the string|the text|the phrase"),
        quoted,
        say("in|in their|in its|in the|in his"),
        names.columns,
      ),
      ([, value, , column]) => ({ kind: "text", column, text: value, where: "anywhere", isNegated: false }),
    ),
    mapped(sequence(say("no|an unknown|unknown|missing"), names.columns), ([, column]) => ({
      kind: "empty",
      column,
      isNegated: false,
    })),
    mapped(
      sequence(columnName, say("is missing|is unknown|is null|is empty|are missing|are unknown|is not known")),
      ([column]) => ({ kind: "empty", column, isNegated: false }),
    ),
    mapped(sequence(optional(columnName), optional(say("is|was|in|of|on")), date), ([column, , found]) => ({
      kind: "date",
      column,
      date: found,
    })),
  );
  const pronoun = say("that|which|who|whose|where|when|but|and|and that|and who|and whose");
  const auxiliary = say("is|are|was|were|be|has|have|had|has been|have been|had been|having|with|do|does|did");
  const linking = say(LINKING_VERBS);
  const preposition = say("from|in|of|for|on|at|by|with|to|as|name|within|inside|under|during|among|through|using");
  const article = say("the|a|an|any|all|their|its|all of the|value|the value");
  /** Reads the words that tie a condition to its rows, at least one. */
  const tie: Parser<unknown> = (from) =>
    sequence(
      optional(pronoun),
      optional(auxiliary),
      optional(linking),
      optional(preposition),
      optional(article),
    )(from).filter(({ to }) => to > from);
  const conditions: Parser<Modifier> = mapped(
    sequence(tie, separated(condition, sequence(alt(say("and|,|, and|but")), optional(tie)))),
    ([, found]) => ({ kind: "conditions", conditions: found }),
  );

  // --- what is asked ----------------------------------------------------------------------------------------------

  const countWords = say(
    "number of|count|count the number of|count the total number of|total number of|count of|total count of|the number of|the total number of|the count of",
  );
  const aggregateList = separated(
    mapped(sequence(optional(say("the")), table(AGGREGATES)), ([, fn]) => fn),
    and,
    4,
  );
  const aggregates: Parser<Item[]> = mapped(
    sequence(
      optional(say("the")),
      aggregateList,
      optional(say("of|of the|value of|value of the|values of|for|of all")),
      names.columns,
    ),
    ([, fns, , column]) => fns.map((fn) => ({ kind: "aggregate" as const, fn, column })),
  );
  const unlessTable: Parser<ColumnName> = (from) => {
    const tables = names.tables(from);
    return names.columns(from).flatMap((reading) => {
      // "Hired after 2024" says what happened, and asks for no column.
      if (/^(?:\w+ed|born)$/i.test(reading.value.said)) return [];
      const isTable = tables.some(({ to, weight }) => to === reading.to && weight >= reading.weight);
      return isTable ? { ...reading, weight: reading.weight - 0.8 } : reading;
    });
  };
  const counted: Parser<Item> = mapped(
    sequence(countWords, distinct, determiner, entity),
    ([, isDistinct, , found]) => ({
      kind: "count",
      entity: found,
      isDistinct,
    }),
  );
  const shown: Parser<Item> = alt<Item>(
    mapped(sequence(determiner, distinct, unlessTable), ([, isDistinct, column]) => ({
      kind: "column",
      column,
      isDistinct,
    })),
    mapped(
      sequence(
        determiner,
        distinct,
        names.columns,
        say("of|for"),
        optional(say(`each|every|${DETERMINERS}`)),
        names.tables,
      ),
      ([, isDistinct, column, , , found]) => {
        const options = column.options.filter(({ ref }) => ref.table === found.table);
        return options.length === 0 ? undefined : { kind: "column", column: { ...column, options }, isDistinct };
      },
    ),
  );
  const item: Parser<Item[]> = alt<Item[]>(
    aggregates,
    mapped(alt(counted, shown), (one) => [one]),
    mapped(sequence(say("how many|and how many"), distinct, entity), ([, isDistinct, found]) => [
      { kind: "count", entity: found, isDistinct },
    ]),
  );
  const items = mapped(separated(item, and, 7), (lists) => lists.flat());

  /** Rows of a table, perhaps with a value or an extreme before the name. */
  const limit = mapped(optional(alt(number)), (found) => found ?? 1);
  const extremeWord = table<string, boolean>([
    ["highest|largest|greatest|biggest|maximum|most|max|best|top", true],
    ["lowest|smallest|least|minimum|fewest|min", false],
  ]);
  type Rows = { table: TableName; modifiers: Modifier[] };
  const rows: Parser<Rows> = alt<Rows>(
    mapped(sequence(determiner, names.tables), ([, found]) => ({ table: found, modifiers: [] })),
    mapped(sequence(determiner, many(names.values, 2), names.tables), ([, values, found]) => ({
      table: found,
      modifiers: values.length === 0 ? [] : [valuesOf(values)],
    })),
    mapped(sequence(optional(say("the")), limit, adjective, names.tables), ([, count, found, rowsOf]) => ({
      table: rowsOf,
      modifiers: [{ kind: "extreme", column: null, adjective: found, isDescending: found.isDescending, limit: count }],
    })),
    mapped(sequence(optional(say("the")), adjective, number, names.tables), ([, found, count, rowsOf]) => ({
      table: rowsOf,
      modifiers: [{ kind: "extreme", column: null, adjective: found, isDescending: found.isDescending, limit: count }],
    })),
  );
  const valuesOf = (values: readonly ValueName[]): Modifier => ({
    kind: "conditions",
    conditions: values.map((value) => ({ kind: "values" as const, column: null, values: [value], isNegated: false })),
  });

  // --- modifiers --------------------------------------------------------------------------------------------------

  const each = say("each|every|each of the|different|each different|all the different|each distinct|per|all different");
  const groups: Parser<Modifier> = mapped(
    alt(
      sequence(
        optional(alt(tie, say("there are in|are there in|are there for|there are for"))),
        each,
        mapped(optional(separated(entity, say("and|,|and each|and every"), 3)), (list) => list ?? []),
        optional(say("have|has|had|own|owns|one|one of them|of them")),
      ),
      sequence(
        optional(say("grouped|group|broken down|split")),
        say("by|by the|by each"),
        separated(entity, say("and|,|and by"), 3),
        optional(say("have")),
      ),
    ),
    ([, , entities]) => ({ kind: "groups", entities }),
  );
  const direction = table<string, boolean>([
    [
      "descending|desc|decreasing|descending order|decreasing order|in descending order|in decreasing order|descendingly|from high to low|from highest to lowest|from large to small|from oldest to youngest|from the oldest to the youngest|in reverse order|from most to least",
      true,
    ],
    [
      "ascending|asc|increasing|ascending order|increasing order|in ascending order|in increasing order|from low to high|from lowest to highest|from youngest to oldest|from the youngest to the oldest|in alphabetical order|in lexicographical order|in ascending alphabetical order|alphabetically|from least to most|in alphabetic order",
      false,
    ],
  ]);
  const sortItem: Parser<Item> = mapped(item, (list) => (list.length === 1 ? list[0] : undefined));
  const sorted = say(
    "sorted by|sorted|ordered by|ordered|order by|sort by|sort the list by|ranked by|listed by|listed|sorted in|sort them by|order them by|sort the results by|order the results by|sort results by|in order of|in the order of|in the order by|ordered in|listed in|and sort by|arranged by|order|sort them|and order by|sorting by|sort",
  );
  const order: Parser<Modifier> = alt<Modifier>(
    mapped(
      sequence(
        optional(say("and|,")),
        sorted,
        optional(direction),
        optional(say("by|of|according to|in|on|based on")),
        sortItem,
        optional(say("in")),
        optional(direction),
      ),
      ([, , before, , by, , after]) => ({ kind: "order", by, isDescending: after ?? before }),
    ),
    mapped(
      sequence(
        optional(say("and|,")),
        optional(sorted),
        direction,
        optional(sequence(say("of|by|of the|by the|according to|according to the"), sortItem)),
      ),
      ([, , isDescending, by]) => ({ kind: "order", by: by?.[1] ?? null, isDescending }),
    ),
  );
  const sortedBy: Parser<Modifier> = mapped(
    sequence(say("by|by the|by their|by its|according to|according to the"), sortItem, direction),
    ([, by, isDescending]) => ({ kind: "order", by, isDescending }),
  );
  const have: Parser<unknown> = (from) =>
    sequence(
      optional(pronoun),
      optional(auxiliary),
      optional(linking),
      optional(say("by|of|for|in|on|at|to")),
      optional(say("the|a")),
    )(from).filter(({ to }) => to > from);
  const extreme: Parser<Modifier> = alt<Modifier>(
    mapped(
      sequence(have, optional(number), extremeWord, optional(number), names.columns),
      ([, a, isDescending, b, column]) => ({
        kind: "extreme",
        column,
        adjective: null,
        isDescending,
        limit: a ?? b ?? 1,
      }),
    ),
    mapped(
      sequence(
        say("of the|for the|is the|are the|with the|that is the|who is the|by the"),
        limit,
        adjective,
        optional(names.tables),
      ),
      ([, count, found]) => ({
        kind: "extreme",
        column: null,
        adjective: found,
        isDescending: found.isDescending,
        limit: count,
      }),
    ),
  );
  const most: Parser<Modifier> = mapped(
    sequence(
      have,
      table<string, boolean>([
        [
          "most|most number of|largest number of|highest number of|greatest number of|maximum number of|largest amount of|biggest number of|most of the",
          true,
        ],
        ["fewest|least|least number of|smallest number of|lowest number of|fewest number of|minimum number of", false],
      ]),
      names.tables,
    ),
    ([, isDescending, found]) => ({ kind: "most", table: found, isDescending, limit: 1 }),
  );
  const having: Parser<Modifier> = alt<Modifier>(
    mapped(sequence(have, operator, number, names.tables), ([, op, value, found]) => ({
      kind: "having",
      table: found,
      op,
      value,
    })),
    mapped(sequence(have, number, say("or more"), names.tables), ([, value, , found]) => ({
      kind: "having",
      table: found,
      op: ">=",
      value,
    })),
  );
  const exists: Parser<Modifier> = alt<Modifier>(
    mapped(
      sequence(
        say(
          "without|without any|without a|with no|that have no|that has no|who have no|who has no|have no|has no|that do not have|that do not have any|that don't have|that don't have any|who do not have|who do not have any|who don't have|who don't have any|which do not have any|which do not have|do not have|do not have any|does not have|does not have any|that does not have any|don't have any|have never had|never had any|have not had any|who does not have any|that did not have any|did not have any|not have any",
        ),
        names.tables,
      ),
      ([, found]) => ({ kind: "exists", table: found, isNegated: true }),
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
  const filler: Parser<Modifier | null> = mapped(say(FILLERS), () => null);
  const comparison: Parser<Modifier> = mapped(sequence(adjective, say("than"), number), ([found, , value]) => ({
    kind: "conditions",
    conditions: [{ kind: "compare", column: null, adjective: found, op: found.isDescending ? ">" : "<", value }],
  }));
  const modifier: Parser<(Modifier | null)[]> = alt<(Modifier | null)[]>(
    mapped(comparison, (one) => [one]),
    // "Before 1980" needs no other word.
    mapped(date, (found) =>
      found.isOpen
        ? [{ kind: "conditions" as const, conditions: [{ kind: "date" as const, column: null, date: found }] }]
        : undefined,
    ),
    mapped(alt(conditions, groups, order, sortedBy, extreme, most, having, exists), (one) => [one]),
    mapped(sequence(alt(say("across|among|of every|of each|for each|for every|about"), tie), rows), ([, found]) => [
      { kind: "scope" as const, table: found.table },
      ...found.modifiers,
    ]),
    mapped(filler, () => []),
  );
  const end = optional(say("?|.|? .|??"));
  const lead = many(say(`${LEADS}|,|:`), 4);
  const tail = mapped(sequence(many(modifier, 7), end), ([lists]) => lists.flat().filter((one) => one !== null));

  // --- whole questions --------------------------------------------------------------------------------------------

  const frequent = table<string, boolean>([
    ["most common|most frequent|most popular|most frequently used|most commonly used|most used", true],
    ["least common|least frequent|least popular|least used", false],
  ]);
  const lists = mapped(
    sequence(lead, items, tail),
    ([, found, modifiers]): Question => ({
      items: found,
      modifiers,
      isDistinct: found.some((one) => one.kind === "column" && one.isDistinct),
    }),
  );
  const countRows = mapped(
    sequence(
      lead,
      say(
        "how many|count|the number of|number of|total number of|the total number of|the count of|count the number of|count the total number of|the total count of|what number of",
      ),
      distinct,
      rows,
      tail,
    ),
    ([, , isDistinct, found, modifiers]): Question => ({
      items: [{ kind: "count", entity: { table: found.table }, isDistinct }],
      modifiers: [...found.modifiers, ...modifiers],
      isDistinct: false,
    }),
  );
  const plainRows = mapped(
    sequence(
      lead,
      optional(
        say("the names of|information about|all information about|the information of|the details of|all details of"),
      ),
      distinct,
      rows,
      tail,
    ),
    ([, prefix, isDistinct, found, modifiers]): Question | undefined =>
      isDistinct || prefix?.startsWith("the names")
        ? undefined
        : {
            items: [{ kind: "rows", table: found.table }],
            modifiers: [...found.modifiers, ...modifiers],
            isDistinct: false,
          },
  );
  const rowsWithColumns = mapped(
    sequence(lead, determiner, names.tables, items, tail),
    ([, , found, list, modifiers]): Question => ({
      items: list,
      modifiers: [{ kind: "scope", table: found }, ...modifiers],
      isDistinct: list.some((one) => one.kind === "column" && one.isDistinct),
    }),
  );
  /** The value that most rows have. "The most common reasons" name no number of them. */
  const frequency = (column: ColumnName, isDescending: boolean, modifiers: Modifier[]): Question | undefined =>
    /[^s]s$/i.test(column.said)
      ? undefined
      : {
          items: [
            { kind: "column", column, isDistinct: false },
            { kind: "count", entity: null, isDistinct: false },
          ],
          modifiers: [
            { kind: "groups", entities: [] },
            { kind: "order", by: { kind: "count", entity: null, isDistinct: false }, isDescending },
            { kind: "extreme", column: null, adjective: null, isDescending, limit: 1 },
            ...modifiers,
          ],
          isDistinct: false,
        };
  const frequentColumn = mapped(
    sequence(lead, optional(say("the")), frequent, names.columns, tail),
    ([, , isDescending, column, modifiers]) => frequency(column, isDescending, modifiers),
  );
  const frequentLast = mapped(
    sequence(
      lead,
      determiner,
      names.columns,
      optional(say("that is|that are|which is|is|are")),
      optional(say("the")),
      frequent,
      tail,
    ),
    ([, , column, , , isDescending, modifiers]) => frequency(column, isDescending, modifiers),
  );
  const grouped = mapped(
    sequence(
      lead,
      say("for each|for every|in each|per|of each|for each of the"),
      separated(entity, say("and|,"), 2),
      optional(say(",")),
      alt(lists, countRows),
    ),
    ([, , entities, , question]): Question => ({
      ...question,
      modifiers: [{ kind: "groups", entities }, ...question.modifiers],
    }),
  );
  return (from) =>
    [lists, countRows, plainRows, rowsWithColumns, frequentColumn, frequentLast, grouped].flatMap((parser) =>
      parser(from),
    );
}

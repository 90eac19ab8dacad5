import type { Grain } from "../dates";
import type { Linked, ValueHit } from "../link";
import type { Schema } from "../schema";
import { nameWords } from "../words";
import { type ColumnName, Names, type TableName, type ValueName } from "./names";
import { alternatives as alt, many, mapped, optional, type Parser, type Reading, separated, sequence } from "./parsers";
import type { Adjective, Aggregate, Condition, Entity, Item, Modifier, Operator, Question, Thing } from "./question";

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

/** Fit of a word of a column's name before a value of that column. */
const PARTLY = 2.5;

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
  ["later than", ">"],
  ["earlier than", "<"],
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
const ADVERBS: Record<string, Grain> = { daily: "day", weekly: "week", monthly: "month", quarterly: "quarter", yearly: "year", annually: "year", annual: "year" }; // biome-ignore format: short
const LEADS =
  "please|return me|list me|sort|order|can you|could you|would you|tell me|show me|give me|find me|get me|show|list|list out|give|find|find out|return|tell|display|get|compute|calculate|report|select|i want to know|i want|what is|what are|what was|what were|what's|what|which|which are|which is|who are|who is";
const DETERMINERS =
  "his or her|the corresponding|corresponding|their corresponding|its corresponding|the|a|an|all|all of|all the|all of the|any|our|their|its|his|her|these|those|of the|of all|of all the|list of|the list of|the values of|existing";
/** Verbs that only say that two tables belong together. */
const LINKING_VERBS =
  "located|held|made|produced|used|use|uses|using|given|written|released|published|hired|employed|played|owned|built|founded|created|taught|offered|served|belonging|belong|belongs|associated|corresponding|registered|performed|conducted|working|enrolled|own|owns|live|lives|living|come|comes|named|called|titled|sell|sells|sold|contain|contains|containing|recorded|assigned|based|work|works|speak|speaks|spoken|cast|received|happened|occurred|caused|led|owns|manage|manages|operated|operate|reported|joined|grown|sent|placed|done|had|undergone|gone through|went through|received|participated|participated in|participate in|attended|serve|serves|run|runs|hold|holds|employ|employs|produce|produces|affiliated|wrote|write|writes|get|gets|got|came|came in|come in|came from|came through|came in through|come through|shared|correspond|corresponds|opened|submitted|registered with|created by|that belong";
const FILLERS =
  "so far|to date|ever|in the world|in the dataset|in the data set|according to the database|are there|there are|is there|do we have|we have|do you have|exist|exists|in total|in the database|in this database|in the table|in the data|on record|in all|altogether|overall|respectively|are recorded|are listed|are available|available|recorded|are in the database|please|from the database|too|,";

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
    if (token?.lower === "one" || token?.lower === "single") return [{ to: from + 1, value: 1, weight: 1 }];
    if (token?.lower === "a" && tokens[from + 1]?.lower === "single") return [{ to: from + 2, value: 1, weight: 2 }];
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

  const year: Parser<number> = (from) => {
    const value = tokens[from]?.number ?? 0;
    return Number.isInteger(value) && value >= 1500 && value < 2200 ? [{ to: from + 1, value, weight: 1 }] : [];
  };

  /** Looks at a word without reading it. */
  const at =
    (word: string): Parser<null> =>
    (from) =>
      tokens[from]?.lower === word ? [{ to: from, value: null, weight: 0 }] : [];

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
  const grainName = table<string, Grain>([
    ["day|days|date", "day"],
    ["week|weeks", "week"],
    ["month|months", "month"],
    ["quarter|quarters", "quarter"],
    ["year|years|calendar year", "year"],
  ]);
  const thing = alt<Thing>(
    mapped(names.tables, (found) => ({ table: found })),
    lighter(mapped(names.columns, (column) => ({ column }))),
  );
  const entity: Parser<Entity> = alt<Entity>(
    thing,
    mapped(sequence(grainName, optional(sequence(say("of|of the|of their"), names.columns))), ([grain, column]) => ({
      grain,
      column: column?.[1] ?? null,
    })),
    mapped(sequence(names.columns, grainName), ([column, grain]) => ({ grain, column })),
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
  const unknownText: Parser<string> = (from) => (names.values(from).length > 0 ? [] : quoted(from));
  const asSaid = (column: ColumnName, text: string, isNegated: boolean): Condition | undefined => {
    const options = column.options.filter(({ ref }) => ref.column.kind === "text");
    const hits = options.map(({ ref }) => ({ ref, value: text, isExact: true }));
    return options.length === 0
      ? undefined
      : { kind: "values", column: { ...column, options }, values: [{ hits, said: text }], isNegated };
  };
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
    mapped(sequence(number, names.columns), ([value, column]) => ({
      kind: "compare",
      column,
      op: "=" as const,
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
    // A text in quotes after the name of its column needs no look-up.
    mapped(sequence(columnName, verb, unknownText), ([column, isNegated, text]) => asSaid(column, text, isNegated)),
    mapped(sequence(determiner, names.hints, verb, unknownText), ([, [word = ""], isNegated, text]) => {
      const column = names.withWord(word);
      return column ? asSaid(column, text, isNegated) : undefined;
    }),
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
        optional(say("that|which|is|are|whose name|whose value")),
        table([
          [
            "contains|contain|containing|includes|include|including|with|has|have|contains the word|contain the word|contains the substring|contain the substring|has the substring|contains the letter|contain the letter|contains the letters|with the letter|like",
            "anywhere" as const,
          ],
          ["starts with|start with|starting with|begins with|begin with|beginning with", "start" as const],
          ["ends with|end with|ending with|ending in", "end" as const],
        ]),
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
  const pronoun = say(
    "that|which|who|whose|where|when|but|and|and that|and who|and whose|for which|in which|of which|for which there are|in which there are|where there are|in which there is",
  );
  const auxiliary = say("is|are|was|were|be|has|have|had|has been|have been|had been|having|with|do|does|did");
  const linking = say(LINKING_VERBS);
  const preposition = say("from|in|of|for|on|at|by|with|to|as|name|within|inside|under|during|among|through|using");
  const article = say("the|a|an|any|all|their|its|all of the|value|the value|either|either the");
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
    sequence(tie, separated(conditionOr, sequence(alt(say("and|,|, and|but")), optional(tie)))),
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
      optional(say("of|of the|value of|value of the|values of|for|of all|number of|amount of")),
      names.columns,
    ),
    ([, fns, , column]) => {
      const options = column.options.filter(({ ref }) => ref.column.kind !== "text");
      return options.length === 0
        ? undefined
        : fns.map((fn) => ({ kind: "aggregate" as const, fn, column: { ...column, options } }));
    },
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
    sequence(optional(say("the corresponding|corresponding")), countWords, distinct, determiner, thing),
    ([, , isDistinct, , found]) => ({
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
        return options.length === 0
          ? undefined
          : { kind: "column", column: { ...column, options }, isDistinct, owner: found };
      },
    ),
  );
  /** "First and last names" are two columns. */
  const bothNames: Parser<Item[]> = mapped(
    sequence(
      optional(say("the|their|its|his|her|a|each|every")),
      say("first and last name|first and last names|full name|full names|first name and last name"),
      optional(sequence(say("of|for"), optional(say(`each|every|${DETERMINERS}`)), names.tables)),
    ),
    ([, said, of]) => {
      const found =
        said.startsWith("full") && names.named("full name")
          ? null
          : ["first name", "last name"].map((name) => names.named(name));
      return found?.flatMap((column) => {
        const options = column?.options.filter(({ ref }) => !of || ref.table === of[2].table) ?? [];
        if (!column || options.length === 0) return [];
        return [
          { kind: "column" as const, column: { ...column, options }, isDistinct: false, ...(of && { owner: of[2] }) },
        ];
      });
    },
  );
  const item: Parser<Item[]> = alt<Item[]>(
    aggregates,
    mapped(alt(counted, shown), (one) => [one]),
    mapped(bothNames, (list) => (list.length === 2 ? list : undefined)),
    mapped(sequence(say("how many|and how many"), distinct, thing), ([, isDistinct, found]) => [
      { kind: "count", entity: found, isDistinct },
    ]),
  );
  const beside: Parser<Item[]> = mapped(
    sequence(say("the|their|its|his|her|the corresponding"), names.tables),
    ([, found]) => [{ kind: "display", table: found }],
  );
  const items = mapped(
    sequence(separated(item, and, 7), optional(sequence(and, beside, optional(say("they have|they|it has|it"))))),
    ([lists, last]) => [...withOwners(lists.flat()), ...(last?.[1] ?? [])],
  );

  /** Rows of a table, perhaps with a value or an extreme before the name. */
  const limit = mapped(optional(alt(number)), (found) => found ?? 1);
  const extremeWord = table<string, boolean>([
    ["highest|largest|greatest|biggest|maximum|most|max|best|top", true],
    ["lowest|smallest|least|minimum|fewest|min", false],
  ]);
  const topOf = <T>(parser: Parser<T>): Parser<{ found: T; top: Modifier }> =>
    mapped(
      sequence(
        optional(say("the|our|all the")),
        table<string, boolean>([
          ["top|best|highest|largest|biggest", true],
          ["bottom|worst|lowest|smallest", false],
        ]),
        number,
        parser,
      ),
      ([, isDescending, limit, found]) => ({ found, top: { kind: "top", limit, isDescending } }),
    );
  type Rows = { table: TableName; modifiers: Modifier[] };
  const rows: Parser<Rows> = alt<Rows>(
    mapped(topOf(names.tables), ({ found, top }) => ({ table: found, modifiers: [top] })),
    mapped(sequence(optional(say("the")), number, names.tables), ([, count, found]) => ({
      table: found,
      modifiers: [{ kind: "top", limit: count, isDescending: true }],
    })),
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
      mapped(
        sequence(say("daily|weekly|monthly|quarterly|yearly|annually"), optional(say("basis"))),
        ([word]): [unknown, string, Entity[], string | null] => [
          null,
          word,
          [{ grain: ADVERBS[word] as Grain, column: null }],
          null,
        ],
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
    ". order by|. sort by|? order by|? sort by|. sort them by|. order them by|sorted by|sorted|ordered by|ordered|order by|sort by|sort the list by|ranked by|listed by|listed|sorted in|sort them by|order them by|sort the results by|order the results by|sort results by|in order of|in the order of|in the order by|ordered in|listed in|and sort by|arranged by|order|sort them|and order by|sorting by|sort",
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
  const figureFirst: Parser<Modifier> = mapped(
    sequence(
      optional(say(",")),
      table<string, boolean>([
        [
          "highest first|largest first|biggest first|best first|most first|largest group first|from most to least",
          true,
        ],
        ["lowest first|smallest first|worst first|fewest first", false],
      ]),
    ),
    ([, isDescending]) => ({ kind: "order", by: "figure", isDescending }),
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
      ([, count, found]) => ({
        kind: "extreme",
        column: null,
        adjective: found,
        isDescending: found.isDescending,
        limit: count,
      }),
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
  /** "Top 5 customers by revenue". */
  const rank: Parser<Modifier> = mapped(
    sequence(say("by|by their|by the|in terms of|based on|ranked by|with the highest|with the largest"), sortItem),
    ([, by]) => ({ kind: "rank", by }),
  );
  const rankByRows: Parser<Modifier> = mapped(sequence(say("by|by their|by the"), names.tables), ([, found]) => ({
    kind: "rank",
    by: { kind: "count", entity: { table: found }, isDistinct: false },
  }));
  const excluded: Parser<Modifier> = mapped(
    sequence(say("not in|not from|outside|outside of|except|excluding|other than"), valueList),
    ([, values]) => ({ kind: "conditions", conditions: [{ kind: "values", column: null, values, isNegated: true }] }),
  );
  const filler: Parser<Modifier | null> = alt<Modifier | null>(
    mapped(say(FILLERS), () => null),
    // "The treatments they have done", "the person who operated it".
    mapped(sequence(say("they|it|he|she"), optional(say("have|has|had")), alt(linking, say("have|has"))), () => null),
    mapped(sequence(say("who|that|which"), linking, say("it|them")), () => null),
  );
  const comparison: Parser<Modifier> = mapped(sequence(adjective, say("than"), number), ([found, , value]) => ({
    kind: "conditions",
    conditions: [{ kind: "compare", column: null, adjective: found, op: found.isDescending ? ">" : "<", value }],
  }));
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
    mapped(
      alt(conditions, excluded, groups, order, figureFirst, sortedBy, extreme, most, having, exists, rank, rankByRows),
      (one) => [one],
    ),
    subject,
    mapped(
      sequence(alt(say("across|among|of every|of each|for each|for every|about|of the|of"), tie), rows),
      ([, found]) => [{ kind: "scope" as const, table: found.table }, ...found.modifiers],
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
        say(
          "the names of|information about|all information about|all the information about|the information about|everything about|the information of|the details of|all details of|the details about|details of|details about",
        ),
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
    sequence(lead, alt(determiner, say("each|every")), names.tables, items, tail),
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
  const topColumn = mapped(
    sequence(lead, topOf(names.columns), tail),
    ([, { found, top }, modifiers]): Question => ({
      items: [{ kind: "column", column: found, isDistinct: false }],
      modifiers: [top, ...modifiers],
      isDistinct: false,
    }),
  );
  const share = mapped(
    sequence(lead, optional(say("the")), say("percentage of|percent of|share of|proportion of"), rows, tail),
    ([, , , found, modifiers]): Question => ({
      items: [{ kind: "share" }],
      modifiers: [{ kind: "scope", table: found.table }, ...found.modifiers, ...modifiers],
      isDistinct: false,
    }),
  );
  const ratio = alt(
    mapped(
      sequence(
        lead,
        say("average number of|the average number of"),
        names.tables,
        say("per|for each|in each|of each|by"),
        names.tables,
        tail,
      ),
      ([, , found, , per, modifiers]): Question => ({
        items: [{ kind: "ratio", table: found, per }],
        modifiers,
        isDistinct: false,
      }),
    ),
    mapped(
      sequence(
        say("how many"),
        names.tables,
        say("does each|does a|does an|do"),
        names.tables,
        say("have on average|get on average"),
        tail,
      ),
      ([, found, , per, , modifiers]): Question => ({
        items: [{ kind: "ratio", table: found, per }],
        modifiers,
        isDistinct: false,
      }),
    ),
  );
  /** "Daily orders over the last 7 days". */
  const adverb = mapped(
    sequence(
      lead,
      say("daily|weekly|monthly|quarterly|yearly|annual"),
      alt<Item[]>(
        mapped(sequence(names.tables, optional(say("count|counts"))), ([found]) => [
          { kind: "count", entity: { table: found }, isDistinct: false },
        ]),
        items,
      ),
      tail,
    ),
    ([, word, list, modifiers]): Question => ({
      items: list,
      modifiers: [{ kind: "groups", entities: [{ grain: ADVERBS[word] as Grain, column: null }] }, ...modifiers],
      isDistinct: false,
    }),
  );
  const plain = alt(
    adverb,
    lists,
    countRows,
    plainRows,
    rowsWithColumns,
    frequentColumn,
    frequentLast,
    topColumn,
    share,
    ratio,
  );
  /** "In 1980, how many cars were made?" */
  const prefixed = mapped(
    sequence(
      alt<Modifier[]>(
        mapped(conditions, (one) => [one]),
        mapped(
          sequence(say("for|among|of|for all|for all of|out of|across"), rows, many(alt(conditions, comparison), 2)),
          ([, found, list]) => [{ kind: "scope" as const, table: found.table }, ...found.modifiers, ...list],
        ),
      ),
      say(","),
      plain,
    ),
    ([before, , question]): Question => ({ ...question, modifiers: [...before, ...question.modifiers] }),
  );
  /** "Which club has the most players? List its name." */
  const bareCount = mapped(say("the count|the number|count|number|the total number"), (): Item[] => [
    { kind: "count", entity: null, isDistinct: false },
  ]);
  const stop: Parser<null> = (from) =>
    /^[?.;]$/.test(tokens[from - 1]?.lower ?? "") ? [{ to: from, value: null, weight: 0 }] : [];
  const followed = mapped(
    sequence(
      alt(plain, grouped),
      alt<unknown>(
        sequence(stop, optional(say("only|just")), alt(say(LEADS), say("show|list|give me|give|return|report|state"))),
        say("and their|and its|and the|and return the|and show the"),
      ),
      separated(alt(bareCount, item), and, 5),
      optional(say("as well|too")),
      end,
    ),
    ([question, between, lists]) => withColumns(question, lists.flat(), typeof between === "string"),
  );
  return (from) => [plain, prefixed, grouped, followed].flatMap((parser) => parser(from));
}

/** "Ids and names of clubs" are both of clubs. */
function withOwners(items: readonly Item[]): Item[] {
  const found: Item[] = [];
  let owner: TableName | null = null;
  for (const item of items.toReversed()) {
    if (item.kind === "column") owner = item.owner ?? owner;
    const options =
      item.kind === "column" && !item.owner ? item.column.options.filter(({ ref }) => ref.table === owner?.table) : [];
    if (item.kind === "column" && owner && options.length > 0) {
      found.unshift({ ...item, column: { ...item.column, options }, owner });
    } else found.unshift(item);
  }
  return found;
}

/** Shows the columns that a second sentence asks for, instead of the first or beside them. */
function withColumns(question: Question, asked: readonly Item[], isAdded: boolean): Question | undefined {
  const columns = asked.filter(({ kind }) => kind === "column");
  if (question.items.some(({ kind }) => kind === "share" || kind === "ratio")) return undefined;
  const counts = asked.filter(({ kind }) => kind === "count");
  const figures = question.items.filter(({ kind }) => kind === "count" || kind === "aggregate");
  if (columns.length === 0 || columns.length + counts.length < asked.length || counts.length > 1) return undefined;
  const isRanked = question.modifiers.some(({ kind }) => kind === "most" || kind === "having");
  if (counts.length > figures.length && !isRanked) return undefined;
  const scopes = question.items.flatMap((item): Modifier[] =>
    item.kind === "rows" ? [{ kind: "scope", table: item.table }] : [],
  );
  const kept = isAdded ? question.items.filter(({ kind }) => kind === "column" || kind === "rows") : [];
  if (kept.some(({ kind }) => kind === "rows")) return undefined;
  return { ...question, items: [...kept, ...columns, ...figures], modifiers: [...scopes, ...question.modifiers] };
}

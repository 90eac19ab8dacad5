import { isPlural } from "../../words";
import { isMoneyNoun } from "../column-facts";
import type { ColumnName, TableName } from "../names";
import { alternatives as alt, lighter, many, mapped, optional, type Parser, separated, sequence } from "../parsers";
import type { Item, Modifier, Question } from "../question";
import type { Conditions } from "./conditions";
import type { Items } from "./items";
import type { Modifiers } from "./modifiers";
import type { NounPhrases } from "./noun-phrases";
import { limitOf, type Rows } from "./rows";
import { AGGREGATES, LEADS, SELLING_LEAST, SELLING_MOST } from "./word-lists";
import type { Words } from "./words";

type Parts = Words & NounPhrases & Conditions & Items & Rows & Modifiers;

/** Returns the parser of whole questions. */
export function questionParser(parts: Parts): Parser<Question> {
  const { tokens, say, table, number, names, determiner, distinct, and, adverb, entity, conditions, comparison } =
    parts;
  const { item, items, topOf, rows, end, tail } = parts;
  const ask = (asked: Item[], modifiers: Modifier[]): Question => ({ items: asked, modifiers, isDistinct: false });
  const askItems = (asked: Item[], modifiers: Modifier[]): Question => ({
    ...ask(asked, modifiers),
    isDistinct: asked.some((one) => one.kind === "column" && one.isDistinct),
  });
  const lead = many(say(`${LEADS}|,|:`), 4);
  const frequent = table<string, boolean>([
    [
      "most common|most frequent|most popular|most frequently used|most commonly used|most used|most visited|most viewed|most often visited",
      true,
    ],
    ["least common|least frequent|least popular|least used", false],
  ]);
  const lists = mapped(sequence(lead, items, tail), ([, found, modifiers]) => askItems(found, modifiers));
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
    ([, , isDistinct, found, modifiers]) =>
      ask([{ kind: "count", entity: { table: found.table }, isDistinct }], [...found.modifiers, ...modifiers]),
  );
  const totalRows = mapped(
    sequence(lead, optional(say("the|our")), say("total|overall"), rows, tail),
    ([, , , found, modifiers]) =>
      ask(
        [{ kind: "count", entity: { table: found.table }, isDistinct: false, isTotal: true }],
        [...found.modifiers, ...modifiers],
      ),
  );
  /** "Customers and their number of orders" are counts for each customer. */
  const rowsWithCount = mapped(
    sequence(
      lead,
      alt(determiner, say("each|every")),
      names.tables,
      say("and|with|and their|with their|and the|with the|and its|with its|along with|along with their|and each one's"),
      alt<TableName>(
        mapped(sequence(say("number of|count of|total number of|how many"), names.tables), ([, found]) => found),
        mapped(sequence(names.tables, say("count|counts")), ([found]) => found),
      ),
      tail,
    ),
    ([, , found, , counted, modifiers]) =>
      ask(
        [{ kind: "count", entity: { table: counted }, isDistinct: false }],
        [{ kind: "groups", entities: [{ table: found }] }, ...modifiers],
      ),
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
        : ask([{ kind: "rows", table: found.table }], [...found.modifiers, ...modifiers]),
  );
  // "Club country codes" are rather those of a column with that whole name.
  const rowsWithColumns = lighter(
    mapped(
      sequence(lead, alt(determiner, say("each|every")), names.tables, items, tail),
      ([, , found, list, modifiers]) => askItems(list, [{ kind: "scope", table: found }, ...modifiers]),
    ),
    0.3,
  );
  /** The value that most rows have. "The most common reasons" name no number of them. */
  const frequency = (column: ColumnName, isDescending: boolean, modifiers: Modifier[]): Question | undefined =>
    isPlural(column.said)
      ? undefined
      : ask(
          [
            { kind: "column", column, isDistinct: false },
            { kind: "count", entity: null, isDistinct: false },
          ],
          [
            { kind: "groups", entities: [] },
            { kind: "order", by: { kind: "count", entity: null, isDistinct: false }, isDescending },
            { kind: "extreme", column: null, adjective: null, isDescending, limit: 1 },
            ...modifiers,
          ],
        );
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
  const topColumn = mapped(sequence(lead, topOf(names.columns), tail), ([, { found, top }, modifiers]) =>
    ask([{ kind: "column", column: found, isDistinct: false }], [top, ...modifiers]),
  );
  /** "Which products sell best?" */
  const selling = mapped(
    sequence(
      lead,
      determiner,
      optional(number),
      names.tables,
      table<string, boolean>([
        [SELLING_MOST, true],
        [SELLING_LEAST, false],
      ]),
      tail,
    ),
    ([, , count, found, isDescending, modifiers]) => {
      const limit = count ?? limitOf(found.said);
      const said = isDescending ? "best selling" : "worst selling";
      return ask(
        [{ kind: "rows", table: found }],
        [{ kind: "top", limit, isDescending, said, isSelling: true }, ...modifiers],
      );
    },
  );
  /** "The total value of all paid orders" is that of the column with what an order amounts to. */
  const amounts = mapped(
    sequence(lead, optional(say("the|our")), table(AGGREGATES), say("value of|worth of|of|of all"), rows, tail),
    ([, , fn, of, found, modifiers]) => {
      const column = names.amountOf(found.table);
      // The "total of orders" may be their number.
      if (of.startsWith("of") && !(fn === "sum" && isMoneyNoun(found.table.table))) return undefined;
      const scope = { kind: "scope" as const, table: found.table };
      return column ? ask([{ kind: "aggregate", fn, column }], [scope, ...found.modifiers, ...modifiers]) : undefined;
    },
  );
  const share = mapped(
    sequence(lead, optional(say("the")), say("percentage of|percent of|share of|proportion of"), rows, tail),
    ([, , , found, modifiers]) =>
      ask([{ kind: "share" }], [{ kind: "scope", table: found.table }, ...found.modifiers, ...modifiers]),
  );
  const ratio = alt(
    mapped(
      sequence(
        lead,
        say("average number of|the average number of|average|the average"),
        names.tables,
        say("per|for each|in each|of each|by"),
        names.tables,
        tail,
      ),
      ([, said, found, link, per, modifiers]) =>
        // The "average rating by agent" is none of the number of ratings.
        !said.endsWith("number of") && (found.isPart || link === "by")
          ? undefined
          : ask([{ kind: "ratio", table: found, per }], modifiers),
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
      ([, found, , per, , modifiers]) => ask([{ kind: "ratio", table: found, per }], modifiers),
    ),
  );
  const moment = mapped(
    sequence(
      say(
        "when was|when is|when were|when did|what is the date of|what was the date of|date of|the date of|time of|on which date was|on what date was",
      ),
      optional(say("the|our|we get the|we have the")),
      table<string, boolean>([
        ["last|latest|most recent|newest", true],
        ["first|earliest|oldest", false],
      ]),
      names.tables,
      optional(say("placed|made|created|received|happen|come in")),
      tail,
    ),
    ([, , isLast, found, , modifiers]) => ask([{ kind: "moment", table: found, isLast }], modifiers),
  );
  /** "Daily orders over the last 7 days". */
  const periodic = mapped(
    sequence(
      lead,
      adverb,
      alt<Item[]>(
        mapped(sequence(names.tables, optional(say("count|counts"))), ([found]) => [
          { kind: "count", entity: { table: found }, isDistinct: false },
        ]),
        items,
      ),
      tail,
    ),
    ([, grain, list, modifiers]) => ask(list, [{ kind: "groups", entities: [{ grain, column: null }] }, ...modifiers]),
  );
  const plain = alt(
    periodic,
    lists,
    countRows,
    totalRows,
    rowsWithCount,
    plainRows,
    rowsWithColumns,
    frequentColumn,
    frequentLast,
    topColumn,
    selling,
    amounts,
    share,
    ratio,
    moment,
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

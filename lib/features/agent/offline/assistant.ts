import { toFragment } from "@/lib/base/questions/question";
import { SQL_DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { formatCountOf } from "@/lib/base/values/amounts";
import type { ResultField } from "@/lib/base/values/json-rows";
import type { ChoiceButton } from "../browser/choices";
import { build } from "./build";
import { type ChartAsk, chartOf, readChart } from "./chart";
import { type Choice, type Chosen, readChosen, withChoice } from "./choice";
import { type Conversation, QUESTION_CHARS_MAX, type ToolCall, type ToolResult } from "./conversation";
import { type Answer, cell, explain } from "./explain";
import { isFollowUp, mergeFollowUp, withoutConnective } from "./follow-up";
import type { Frame } from "./frame";
import { type Resolved, type Understood, understandStrictly } from "./grammar";
import { type Linked, link, type ValueHit, valueWordings } from "./link";
import type { Plan } from "./plan";
import { isWholeTable, problemOf } from "./plan-check";
import { toPipeline } from "./render-mongo";
import { toQuestion } from "./render-question";
import { toSql } from "./render-sql";
import { failedQuery, repair } from "./repair";
import { type Described, fitOf, Schema, type Table } from "./schema";
import { similarColumns } from "./similar";
import { areAllChosen, countWithTies, tieChoice, withNextRows } from "./ties";
import { correctTypos } from "./typos";
import { understand } from "./understand";
import { lookupColumns, lookupPipeline, lookupSql, readHits } from "./value-lookup";
import { GRAMMAR, nameWords, SYNONYMS, singularOf, tokenize, toNumber } from "./words";

/**
 * Answers one question with tools. It yields calls, gets their results and returns the final text. It keeps no state:
 * run again with the same results, it makes the same calls.
 */
export type Turn = Generator<ToolCall[], Reply, ToolResult[]>;
/** The final text; a question back offers its choices. */
export type Reply = string | { text: string; choices: ChoiceButton[] };

/** Maximum number of tables listed at once; a larger database is searched. */
const LISTED_MAX = 60;
/** Maximum number of tables described for one question. */
const DESCRIBED_MAX = 14;
const SEARCHES_MAX = 6;
const RESULT_ROWS = 200;
const REPAIRS_MAX = 2;
/** Maximum number of rows of a table for queries that are not the answer: databases read as many in about a second. */
const QUICK_ROWS_MAX = 1_000_000;
/** Maximum number of columns that are tried and offered for an unknown word. */
const CHOICES_MAX = 8;
/** The date of questions that need none. */
const NO_DAY = "2000-01-01";
/** Maximum number of buttons that a person can take in. */
const CONNECTIONS_OFFERED_MAX = 12;

const INTRODUCTION =
  "I'm the offline assistant. I answer questions about your data by running queries, without a language model.";
const EXAMPLES =
  "Ask for a count, a sum, an average, a share, a ranking or a trend: “How many orders were placed last month?”, “revenue by category in 2025”, “which customers never ordered?”.";

type Entity = { name: string; schema?: string; kind?: string; rowEstimate?: number; columnCount?: number };
type Connection = {
  id: string;
  name: string;
  type: string;
  language: string | null;
  dialect: string | null;
  readOnly?: boolean;
};

export function* answer(conversation: Conversation, tools: ReadonlySet<string>): Turn {
  const question = conversation.question.slice(0, QUESTION_CHARS_MAX);
  const lower = question.toLowerCase().trim();
  if (
    lower === "" ||
    /^(?:hi|hello|hey|help|thanks?|thank you|what can you do|who are you|good (?:morning|evening|afternoon))\b[\s\S]{0,40}$/.test(
      lower,
    )
  ) {
    return `${INTRODUCTION} ${EXAMPLES}`;
  }
  if (!tools.has("run_query") || !tools.has("list_connections")) {
    return `${INTRODUCTION} I can't read your data here. Choose another model.`;
  }
  const failed = failedQuery(conversation.question);
  const refused = failed ? null : beyond(lower);
  if (refused) return refused;

  const [listed] = yield [{ tool: "list_connections", input: {} }];
  if (!listed?.isOk) return `I couldn't list the connections: ${plainWords(listed?.message)}`;
  const connections = records<Connection>(listed.value.connections).filter(
    ({ language }) => language === "sql" || language === "mongodb",
  );
  if (connections.length === 0) return "There are no databases to query. Add a connection, then ask again.";
  // Names in a query do not say which connection it ran on.
  const connection = chooseConnection(connections, failed ? "" : question, conversation);
  if (!connection) {
    return {
      text: "Which connection do you mean? You can also open a console on it.",
      choices: connections
        .slice(0, CONNECTIONS_OFFERED_MAX)
        .map(({ name }) => ({ label: name, question: `${question} in “${name}”` })),
    };
  }
  if (failed && connection.language === "sql") {
    return yield* repair({ id: connection.id, dialect: dialectOf(connection) }, failed);
  }
  return yield* answerOn(connection, question, conversation, tools);
}

/** Returns an explanation for a request that the assistant does not support, or null. */
function beyond(lower: string): string | null {
  if (
    /^(?:please )?(?:can you |could you )?(?:delete|drop|remove|update|insert|alter|truncate|rename|grant|create (?:a |the )?(?:table|index|view|user|flow)|add a (?:row|column))\b/.test(
      lower,
    )
  ) {
    return "I can't change data. I can show the rows, so you can write the change in a console.";
  }
  if (
    /\b(?:why|predict|forecast|will (?:we|it|they)|recommend|should (?:we|i)|correlat|regression|cluster|sentiment|median|percentile|standard deviation|variance|weekdays?|day of (?:the )?week|hour of (?:the )?day|per hour|by hour|hourly|running total|cumulative|moving average|growth|year over year|month over month|compare(?:d|s)?|comparison)\b/.test(
      lower,
    )
  ) {
    return "I can't explain causes, forecast, compare periods, group by hour or weekday, or compute medians. I can give you counts, sums, averages, minimums, maximums, shares and trends.";
  }
  if (/\b(?:second|third|fourth|fifth|2nd|3rd|4th|5th)[ -](?:most|least|best|worst|[a-z]+est)\b/.test(lower)) {
    return "I can't pick the second or third of a ranking. I can sort the rows and show the first ones.";
  }
  return null;
}

function chooseConnection(
  connections: readonly Connection[],
  question: string,
  { activeConnectionId, earlier }: Conversation,
): Connection | null {
  const named = (text: string) => {
    const lower = ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ")} `;
    const found = connections.filter(({ name }) =>
      lower.includes(
        ` ${name
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
          .trim()} `,
      ),
    );
    return found.sort((a, b) => b.name.length - a.name.length)[0] ?? null;
  };
  const active = connections.find(({ id }) => id === activeConnectionId) ?? null;
  const before = earlier
    .toReversed()
    .map(named)
    .find((each) => each !== null);
  const [first] = connections;
  const only = connections.length === 1 ? first : undefined;
  return named(question) ?? active ?? only ?? before ?? null;
}

/**
 * "In Sample shop", "Use the Sample shop connection." and "@Sample" name the connection, not the data. "Names of
 * singers" asks no connection with the name "singer".
 */
function stripName(question: string, name: string, entities: readonly Entity[]): string {
  const words = nameWords(name).join();
  const isTable = entities.some((entity) => nameWords(entity.name).join() === words);
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = new RegExp(
    `\\b(?:in|on|from|of|use|using|with|query|for) (?:the )?["“']?${escaped}(?![\\p{L}\\p{N}])["”']?(?: connection| database| db)${isTable ? "" : "?"}[.,:;]?`,
    "iu",
  );
  // As the message field writes a chosen name. A table of the same name may be the one that is meant.
  const mention = `(?<![\\p{L}\\p{N}_.@])@(?:"${escaped}"|${escaped}(?![\\p{L}\\p{N}_-]))`;
  return (isTable ? question : question.replaceAll(new RegExp(mention, "giu"), " ")).replace(pattern, " ");
}

const FORM =
  /(?<=\p{L}[.?!])\s*(?:please )?(?:return|give|show|output|report)(?: me)? (?:only |just )?(?:the )?(?:(count|number)|answer|results?|figures?)[.!]?\s*$/iu;

/** "Return the count." after a question for a count asks for nothing else. */
function stripForm(question: string): string {
  const [found, figure] = FORM.exec(question) ?? [];
  if (found === undefined) return question;
  const asked = question.slice(0, -found.length);
  return figure === undefined || /\b(?:how many|number of|count)\b/i.test(asked) ? asked : question;
}

function* answerOn(
  connection: Connection,
  asked: string,
  conversation: Conversation,
  tools: ReadonlySet<string>,
): Turn {
  const [first] = yield [{ tool: "list_entities", input: { connectionId: connection.id, limit: LISTED_MAX } }];
  if (!first?.isOk) return `I couldn't read the tables of “${cell(connection.name)}”: ${plainWords(first?.message)}`;
  const entities = records<Entity>(first.value.entities);
  const total = Number(first.value.total ?? entities.length);
  if (entities.length === 0) return `“${cell(connection.name)}” has no tables that I can read.`;

  const strip = (text: string) => stripForm(stripName(text, connection.name, entities));
  const question = strip(asked);
  const earlier = conversation.earlier.map(strip);
  const about = aboutSchema(question);
  const known =
    total > entities.length ? yield* search(connection, entities, [question, ...earlier.slice(-1)]) : entities;
  const described = yield* describeTables(connection, known, [question, ...earlier.slice(-1)], total);
  const schema = new Schema(described);
  // "Final tables made by players" are data.
  const isData = about !== null && "plan" in understandStrictly(link(question, schema, [], NO_DAY), schema, []);
  if (about === "tables" && !isData) return listTables(connection, entities, total);
  if ((about === "describe" || about === "columns") && !isData) {
    const said = sayColumns(about, question, schema);
    if (said) return said;
  }
  return yield* query(connection, question, schema, { ...conversation, earlier }, tools.has("create_chart"));
}

type SchemaQuestion = "tables" | "describe" | "columns" | null;

function aboutSchema(question: string): SchemaQuestion {
  const lower = question.toLowerCase();
  if (
    /\b(?:which|what|list|show)\b.{0,30}\b(?:tables|collections|entities)\b(?! (?:has|have|contain|with|hold))/.test(
      lower,
    ) &&
    !/\bcolumn|\bfield/.test(lower)
  )
    return "tables";
  if (
    /\b(?:tables|collections)\b.{0,20}\b(?:are there|exist|available|do you see|do we have|can i)\b|what(?:'s| is) in (?:this|the|my|our) (?:database|connection|data)|what data (?:do we|is there|can)/.test(
      lower,
    )
  )
    return "tables";
  if (
    /\b(?:which|what|where)\b.{0,40}\b(?:tables?|columns?|fields?)\b.{0,30}\b(?:has|have|contains?|holds?|with|store|is there|are there|named|called|is|find)\b|^where (?:can i find|do (?:we|you|i) (?:keep|store|find|have)|is|are)\b/.test(
      lower,
    )
  )
    return "columns";
  if (
    /^(?:please )?(?:describe|explain|show me the (?:structure|schema|columns) of)\b|\b(?:structure|schema|columns|fields|definition)(?: are)?(?: there)? (?:of|in|on|does|for)\b|what (?:do|can) (?:we|you) (?:know|keep|store|record|tell me) (?:about|on)\b|what (?:information|data|columns|fields|attributes|details)\b.{0,30}\b(?:about|of|for|in|on|do we (?:keep|store|have))\b/.test(
      lower,
    )
  )
    return "describe";
  return null;
}

function listTables(connection: Connection, entities: readonly Entity[], total: number): string {
  const lines = entities.slice(0, LISTED_MAX).map(({ name, schema, kind, rowEstimate }) => {
    const rows =
      rowEstimate !== undefined && rowEstimate !== null ? `, about ${formatCountOf(rowEstimate, "row")}` : "";
    return `- \`${codeName(schema ? `${schema}.${name}` : name)}\` (${kind ?? "table"}${rows})`;
  });
  const more =
    total > lines.length ? `\n\n${total - lines.length} more. Add a word from its name to your question.` : "";
  return `“${cell(connection.name)}” has ${formatCountOf(total, "table or view", "tables and views")}:\n\n${lines.join("\n")}${more}`;
}

function sayColumns(asked: "describe" | "columns", question: string, schema: Schema): string | null {
  const tokens = tokenize(question).filter(({ lower }) => !GRAMMAR.has(lower) && /\p{L}/u.test(lower));
  const stems = tokens.map(({ stem }) => stem);
  const ranked = schema.tables
    .map((table) => ({
      table,
      fit: Math.max(0, ...spans(stems).map((span) => fitOf(span, table.words) + span.length * 0.01)),
    }))
    .filter(({ fit }) => fit >= 0.6)
    .sort((a, b) => b.fit - a.fit);
  const best = ranked[0]?.table;
  if (asked === "columns") {
    const hits = schema.tables.flatMap((table) =>
      table.columns
        .filter((column) =>
          spans(stems).some((span) => fitOf(span, nameWords(column.name)) >= 0.75 || fitOf(span, column.words) >= 0.98),
        )
        .map((column) => ({ table, column })),
    );
    const isTableAsked =
      best && /\b(?:column|field)s\b.{0,20}\b(?:does|do|has|have|are|of|in)\b/.test(question.toLowerCase());
    if (hits.length > 0 && !isTableAsked) {
      const lines = hits
        .slice(0, 40)
        .map(({ table, column }) => `- \`${codeName(table.id)}\`: \`${codeName(column.name)}\` (${cell(column.type)})`);
      return `Matching columns:\n\n${lines.join("\n")}`;
    }
  }
  if (!best) return null;
  const edges = schema.edges.filter(({ from }) => from === best);
  const lines = best.columns.map((column) => {
    const edge = edges.find(({ fromColumns }) => fromColumns.includes(column.name));
    const facts = [
      cell(column.type),
      ...(column.isKey ? ["key"] : []),
      ...(edge ? [`references \`${codeName(edge.to.name)}\``] : []),
      ...(column.nullable && !column.isKey ? ["nullable"] : []),
    ];
    return `- \`${codeName(column.name)}\` (${facts.join(", ")})`;
  });
  const below = schema.edges.filter(({ to }) => to === best).map(({ from }) => `\`${codeName(from.name)}\``);
  const rows = best.rowEstimate === null ? "" : ` and about ${formatCountOf(best.rowEstimate, "row")}`;
  return `\`${codeName(best.id)}\` has ${formatCountOf(best.columns.length, "column")}${rows}:\n\n${lines.join("\n")}${below.length > 0 ? `\n\nReferenced by ${[...new Set(below)].join(", ")}.` : ""}`;
}

function spans(stems: readonly string[]): string[][] {
  return stems.flatMap((_, i) =>
    [1, 2, 3].flatMap((length) => (i + length <= stems.length ? [stems.slice(i, i + length)] : [])),
  );
}

/** Searches a large database by the words of the question. */
function* search(
  connection: Connection,
  listed: readonly Entity[],
  texts: readonly string[],
): Generator<ToolCall[], Entity[], ToolResult[]> {
  const searched = contentWords(texts).slice(0, SEARCHES_MAX);
  if (searched.length === 0) return [...listed];
  const results = yield searched.map((text) => ({
    tool: "list_entities",
    input: { connectionId: connection.id, search: text, limit: 20 },
  }));
  const found = new Map<string, Entity>();
  for (const result of results) {
    if (!result.isOk) continue;
    for (const entity of records<Entity>(result.value.entities))
      found.set(`${entity.schema ?? ""}.${entity.name}`, entity);
  }
  return [...found.values()];
}

function contentWords(texts: readonly string[]): string[] {
  const found = texts.flatMap((text) =>
    tokenize(text).filter(({ lower, number }) => !GRAMMAR.has(lower) && number === null && lower.length > 2),
  );
  return [...new Set(found.map(({ lower, stem }) => (lower.startsWith(stem) ? stem : lower)))];
}

/** Describes the tables that the question names, and those they reference. */
function* describeTables(
  connection: Connection,
  entities: readonly Entity[],
  texts: readonly string[],
  total: number,
): Generator<ToolCall[], Described[], ToolResult[]> {
  const stems = texts.flatMap((text) => tokenize(text).map(({ stem }) => stem));
  const wanted = stems.flatMap((stem) => [stem, ...(SYNONYMS.get(stem) ?? [])]);
  const scoreOf = ({ name, rowEstimate }: Entity) => {
    const parts = nameWords(name);
    const hits = parts.filter((word) => wanted.includes(word)).length;
    const own = parts.filter((word) => stems.includes(word)).length;
    return (
      (hits + own) / (parts.length + 0.2) + own + (rowEstimate ? Math.min(0.1, Math.log10(rowEstimate + 1) / 100) : 0)
    );
  };
  const ranked = entities
    .map((entity) => ({ entity, score: scoreOf(entity) }))
    .sort((a, b) => b.score - a.score || a.entity.name.localeCompare(b.entity.name));
  const isSmall = total <= DESCRIBED_MAX;
  const chosen = (isSmall ? ranked : ranked.filter(({ score }) => score > 0.3).slice(0, 8)).map(({ entity }) => entity);
  const described: Described[] = [];
  const keyOf = ({ name, schema }: { name: string; schema?: string }) => `${schema ?? ""}.${name}`;
  const done = new Set<string>();
  let round = chosen.length > 0 ? chosen : ranked.slice(0, 3).map(({ entity }) => entity);
  for (let depth = 0; depth < 3 && round.length > 0; depth++) {
    const results = yield round.map(({ name, schema }) => ({
      tool: "describe_entity",
      input: { connectionId: connection.id, name, ...(schema && { schema }) },
    }));
    for (const entity of round) done.add(keyOf(entity));
    const next: Entity[] = [];
    for (const [i, result] of results.entries()) {
      const entity = round[i];
      if (!result.isOk || !entity) continue;
      const table = { ...(result.value as unknown as Described), name: entity.name };
      described.push({
        ...table,
        ...((table.rowEstimate ?? entity.rowEstimate) !== undefined && {
          rowEstimate: table.rowEstimate ?? entity.rowEstimate,
        }),
      });
      if (isSmall) continue;
      for (const { references } of table.foreignKeys ?? [])
        next.push({ name: references.name, ...(references.schema && { schema: references.schema }) });
    }
    round = next
      .filter(
        (entity, i) => !done.has(keyOf(entity)) && next.findIndex((other) => keyOf(other) === keyOf(entity)) === i,
      )
      .slice(0, DESCRIBED_MAX - described.length);
  }
  return described;
}

/** @param canDraw whether a chart can be shown */
function* query(
  connection: Connection,
  question: string,
  schema: Schema,
  conversation: Conversation,
  canDraw: boolean,
): Turn {
  const today = conversation.today ?? "";
  if (today === "" && /\b(?:today|yesterday|last|this|past|current|ago|ytd)\b/i.test(question)) {
    return "I don't know today's date. Use dates such as 2026-03-01.";
  }
  const day = today === "" ? NO_DAY : today;
  // A follow-up changes no question that was refused for what it asks.
  const earlier = conversation.earlier.filter((text) => beyond(text.toLowerCase()) === null);
  const asks = asksOf([...earlier, question], schema);
  const { text: whole = "", isConfirmed = false, chart = null } = asks.pop() ?? {};
  if (whole === "") return beyondWords(schema, "I can't tell what the chart shows.");
  const draw = chart && { ask: chart, canDraw };
  const { question: written, chosen } = readChosen(whole);
  const before = asks.map(({ text }) => readChosen(text));
  const { thread, isNew } = threadOf([...before, { question: written, chosen }], schema, day);
  const asked = thread.at(-1) ?? written;
  const hits = yield* lookUp(connection, thread, schema, day);
  // A question that stands alone is answered if each of its words is understood, and proposed otherwise.
  const isAlone = thread.length === 1 && !isConfirmed;
  const strictly = (text: string, meanings = chosen) =>
    understandStrictly(link(text, schema, hits, day), schema, hits, meanings);
  let strict = isAlone ? strictly(asked) : null;
  const isCertain = strict !== null && isAnswer(strict);
  const typos = isAlone && !isCertain ? correctTypos(link(asked, schema, hits, day), schema) : null;
  if (typos) {
    strict = strictly(typos.text);
    thread[0] = typos.text;
  }
  const corrected = [...(isNew ? ["I read this as a new question."] : []), ...(typos?.assumed ?? [])];
  const restated = `${thread[0] ?? ""}${whole.slice(written.length)}`;
  const choice = strict && "choice" in strict ? strict.choice : null;
  if (choice) {
    const meanings = choice.options.map((option) =>
      strictly(thread[0] ?? "", new Map([...chosen, [choice.said.toLowerCase(), option]])),
    );
    const found = meanings.flatMap((meaning) => ("plan" in meaning ? [meaning] : []));
    const [meant, ...others] = choice.options;
    const isOpen = choice.isRepeat && others.length > 0 && found.length === choice.options.length;
    const assumed = `that “${cell(choice.said)}” means ${meant}. ${others.join(" and ")} would give the same rows.`;
    const agreed = isOpen ? yield* findAgreement(connection, found, assumed) : null;
    if (!agreed) return askChoice(choice, restated);
    strict = agreed;
  } else if (strict && "rivals" in strict && strict.rivals) {
    const assumed = `one of ${strict.rivals.length} readings of the question, which all give the same rows.`;
    strict = (yield* findAgreement(connection, strict.rivals, assumed, true)) ?? strict;
  }
  if (strict && "plan" in strict) {
    const notes = [...corrected, ...strict.assumed];
    return yield* runRanked(connection, strict.plan, { notes, draw, question: restated, areAll: areAllChosen(chosen) });
  }
  if (isAlone && chosen.size > 0) return beyondWords(schema, "I can't answer the question with that choice.");
  let frame: Frame | null = null;
  let dropped: number | null = null;
  for (const text of thread) {
    const linked = link(text, schema, hits, day);
    const merged: Frame = frame === null ? understand(linked, schema) : mergeFollowUp(frame, linked, schema);
    dropped = merged.limit === null ? (frame?.limit ?? dropped) : null;
    frame = merged;
  }
  if (!frame) return beyondWords(schema);
  const last = link(thread.at(-1) ?? asked, schema, hits, day);
  const followed = thread.at(-2);
  const followedNotes = followed === undefined ? [] : [`I read this as a follow-up to “${cell(followed)}”.`];
  if (dropped !== null) followedNotes.push(`I assumed that all groups are meant, not only the first ${dropped}.`);
  const unknown = unknownNames(frame, last);
  const [word, ...others] = frame.ignored.filter((each) => !GRAMMAR.has(each.toLowerCase()) && toNumber(each) === null);
  const similar =
    isAlone && word !== undefined && others.length === 0
      ? similarColumns(word, schema)
          .slice(0, CHOICES_MAX)
          .filter((option) => isAnswer(strictly(asked, new Map([...chosen, [word.toLowerCase(), option]]))))
      : [];
  if (word !== undefined && similar.length > 0) return askSimilar(word, similar, asked);
  if (unknown.length > 0) {
    return `I found no ${unknown.map((word) => `“${cell(word)}”`).join(" or ")} in “${cell(connection.name)}”, as a table, column or value. Use the exact spelling, or ask which tables exist.`;
  }
  // A word of the grammar or a number that has no place would change the answer.
  const isTelling = (word: string) => GRAMMAR.has(word) || GRAMMAR.has(singularOf(word)) || toNumber(word) !== null;
  const unread = frame.ignored.find((word) => isTelling(word.toLowerCase()));
  const built =
    unread === undefined ? build(frame, schema) : { problem: `I can't tell what “${cell(unread)}” refers to.` };
  const problem = "problem" in built ? built.problem : problemOf(built.plan, last, schema);
  if ("problem" in built || problem !== null) return beyondWords(schema, problem ?? undefined);
  const ignored = [...new Set(frame.ignored)].slice(0, 8).map((word) => `“${cell(word)}”`);
  // The second reader knows no choice, so a person has to see what it makes of the question.
  const hasChoice = before.slice(before.length - thread.length + 1).some((each) => each.chosen.size > 0);
  if (isAlone && ignored.length > 0 && isWholeTable(built.plan)) {
    return beyondWords(schema, `I don't know ${ignored.join(", ")} here.`);
  }
  if (isAlone || (hasChoice && !isConfirmed)) {
    return propose(connection, built.plan, ignored, [...followedNotes, ...corrected]);
  }
  const notes = [
    ...followedNotes,
    ...built.notes,
    ...(ignored.length > 0 ? [`I ignored: ${ignored.join(", ")}.`] : []),
  ];
  return yield* run(connection, built.plan, notes, draw);
}

type Ask = { text: string; isConfirmed: boolean; chart: ChartAsk | null };

/** Returns the questions of some texts: a “yes” confirms the one before, and “show it as a chart” draws it. */
function asksOf(texts: readonly string[], schema: Schema): Ask[] {
  const asks: Ask[] = [];
  for (const text of texts) {
    const last = asks.at(-1);
    const chart = readChart(text, schema);
    if (last && CONFIRMATION.test(text)) last.isConfirmed = true;
    else if (last && chart?.question === "") last.chart = chart.ask;
    else asks.push({ text: chart?.question ?? text, isConfirmed: false, chart: chart?.ask ?? null });
  }
  return asks;
}

/** A reply that accepts a proposed query. */
const CONFIRMATION = /^(?:yes|yes please|y|ok|okay|run it|yes,? run it)[.!]?$/i;

/** Shows the query of an uncertain reading, which runs once the person confirms it. */
function propose(connection: Connection, plan: Plan, ignored: readonly string[], assumed: readonly string[]): string {
  const text = connection.language === "mongodb" ? toPipeline(plan) : toSql(plan, dialectOf(connection));
  const reason =
    ignored.length > 0
      ? `I don't know ${ignored.join(", ")} here.`
      : "I'm not certain that I read every word correctly.";
  const fence = "```";
  const question = toQuestion(plan);
  // A bracket would end the link.
  const fragment = question && toFragment(question).replaceAll("(", "%28").replaceAll(")", "%29");
  const change =
    fragment === null ? "" : `[Change it in the question builder](/questions/${connection.id}${fragment})\n\n`;
  return `${[reason, ...assumed].join(" ")} I would run this query:\n\n${fence}${connection.language === "mongodb" ? "js" : "sql"}\n${text.replaceAll(fence, "")}\n${fence}\n\n${change}Reply “yes” to run it, or rephrase the question.`;
}

function askChoice({ said, options }: Choice, question: string): Reply {
  return {
    text: `“${cell(said)}” has several meanings here. Which one do you mean?`,
    choices: options.map((option) => ({ label: option, question: withChoice(question, said, option) })),
  };
}

/** Offers the columns that an unknown word may stand for. */
function askSimilar(said: string, options: readonly string[], question: string): Reply {
  return {
    text: `There is no “${cell(said)}” here. Do you mean ${options.length === 1 ? "this column" : "one of these columns"}?`,
    choices: options.map((option) => ({ label: option, question: withChoice(question, said, option) })),
  };
}

function isAnswer(found: Understood): boolean {
  return "plan" in found || found.choice !== null;
}

type Asked = { question: string; chosen: Chosen };
type Thread = {
  thread: string[];
  /** Whether the last question looks like a follow-up, but is none. */
  isNew: boolean;
};

/** Returns the last question with the earlier ones that it depends on. */
function threadOf(asked: readonly Asked[], schema: Schema, today: string): Thread {
  const thread: string[] = [];
  for (const [i, { question, chosen }] of [...asked.entries()].toReversed()) {
    const previous = asked[i - 1]?.question;
    // A question with a chosen meaning stands alone.
    const isFollowing = previous !== undefined && chosen.size === 0 && isFollowUp(link(question, schema, [], today));
    const own = isFollowing ? ownQuestion(question, previous, schema, today) : null;
    thread.unshift(own ?? question);
    if (own !== null) return { thread, isNew: thread.length === 1 };
    if (!isFollowing) break;
  }
  return { thread, isNew: false };
}

/**
 * Returns a follow-up as a separate question if its columns are not those of the question before, or may be others:
 * “total revenue” after “how many orders” is not about orders without a revenue. Otherwise null.
 */
function ownQuestion(text: string, before: string, schema: Schema, today: string): string | null {
  const question = withoutConnective(text);
  const linked = link(question, schema, [], today);
  // “And customers?” repeats the question before for other rows.
  if (linked.mentions.some(({ tables }) => tables.length > 0)) return null;
  const near = tablesOf(link(before, schema, [], today));
  const read = understandStrictly(linked, schema, []);
  if ("plan" in read) return near.includes(read.plan.from) ? null : question;
  if (!read.choice) return null;
  const nearOptions = read.choice.options.filter((option) => near.some(({ name }) => option.startsWith(`${name}.`)));
  return nearOptions.length === 1 ? null : question;
}

/** Queries the database for columns that contain words of the question. */
function* lookUp(
  connection: Connection,
  thread: readonly string[],
  schema: Schema,
  today: string,
): Generator<ToolCall[], ValueHit[], ToolResult[]> {
  const linked = thread.map((text) => link(text, schema, [], today));
  const wordings = [...new Set(linked.flatMap(valueWordings))];
  if (wordings.length === 0) return [];
  const near = linked.flatMap(tablesOf);
  const refs = lookupColumns(schema, near);
  if (refs.length === 0) return [];
  const text =
    connection.language === "mongodb"
      ? lookupPipeline(refs, wordings)
      : lookupSql(refs, wordings, dialectOf(connection));
  const [result] = yield [
    { tool: "run_query", input: { connectionId: connection.id, query: text, limit: RESULT_ROWS, purpose: "lookup" } },
  ];
  return result?.isOk ? readHits(records<Record<string, unknown>>(result.value.rows), refs) : [];
}

function tablesOf({ mentions }: Linked): Table[] {
  return [...new Set(mentions.flatMap(({ tables }) => tables.slice(0, 1).map(({ table }) => table)))];
}

/**
 * Returns capitalised names, words right before the question's target (“stock of products”) and parts of a list
 * (“shipped or delivered”). An answer that ignores them would be wrong.
 */
function unknownNames(frame: Frame, { tokens, mentions }: Linked): string[] {
  const isName = ({ raw, isQuoted }: Linked["tokens"][number], i: number) =>
    isQuoted || (i > 0 && /^\p{Lu}/u.test(raw) && !/^[A-Z]{2,5}$/.test(raw));
  const isSubject = (i: number) => mentions.some(({ from, tables }) => from === i && tables[0]?.table === frame.target);
  const isBeforeSubject = (i: number) => {
    const rest = tokens.slice(i + 1, i + 4).findIndex(({ lower }) => !OF_THE.has(lower));
    return rest >= 0 && isSubject(i + 1 + rest);
  };
  const isJoining = (i: number) => i > 0 && JOINING.has(tokens[i]?.lower ?? "");
  const isListed = (i: number) =>
    isJoining(i - 1) || isJoining(i + 1) || (tokens[i + 1]?.lower === "," && isJoining(i + 3));
  return tokens
    .filter(
      (token, i) =>
        frame.ignored.includes(token.raw) &&
        !GRAMMAR.has(token.lower) &&
        (isName(token, i) || isBeforeSubject(i) || isListed(i)),
    )
    .map(({ raw }) => raw);
}

const OF_THE: ReadonlySet<string> = new Set(["of", "our", "the"]);
const JOINING: ReadonlySet<string> = new Set(["and", "or"]);

function dialectOf({ dialect }: Connection): SqlDialect {
  return SQL_DIALECTS.find((each) => each === dialect) ?? "standard";
}

/**
 * Runs some readings. Returns the first one if all give the same rows, so that there is nothing to ask; otherwise null.
 * @param byChance whether a single number that is the same proves nothing
 */
function* findAgreement(
  connection: Connection,
  found: readonly Resolved[],
  assumed: string,
  byChance = false,
): Generator<ToolCall[], Resolved | null, ToolResult[]> {
  const [first] = found;
  if (!first || !found.every(({ plan }) => isQuick(plan))) return null;
  const results = yield found.map(({ plan }) => probe(connection, plan));
  const answers = results.map((result) => (result.isOk ? toAnswer(result.value) : null));
  if (byChance && answers.some((one) => one?.rows.length === 1 && one.fields.length === 1)) return null;
  const texts = answers.map((one) => one && allRowsText(one));
  if (texts[0] === null || texts.some((text) => text !== texts[0])) return null;
  return { plan: first.plan, assumed: [...first.assumed, `I assumed ${assumed}`] };
}

/** Returns a text that is the same for the same rows; null without rows, or if not all of them are known. */
function allRowsText({ rows, rowCount, truncated }: Answer): string | null {
  if (rows.length === 0 || truncated || rowCount > rows.length) return null;
  return JSON.stringify(rows.map((row) => JSON.stringify(Object.values(row).map(String))).sort());
}

/** Whether a plan reads only tables of which a second query takes little time. */
function isQuick({ from, joins, where }: Plan): boolean {
  const inner = where.flatMap((each) => (each.kind === "exists" ? each.steps : []));
  const tables = [from, ...[...joins, ...inner].map(({ table }) => table)];
  return tables.every(({ rowEstimate }) => (rowEstimate ?? 0) <= QUICK_ROWS_MAX);
}

/** Returns a query whose result is no answer. */
function probe(connection: Connection, plan: Plan): ToolCall {
  const query = connection.language === "mongodb" ? toPipeline(plan) : toSql(plan, dialectOf(connection));
  return { tool: "run_query", input: { connectionId: connection.id, query, limit: RESULT_ROWS, purpose: "lookup" } };
}

type Ranked = { notes: readonly string[]; draw: Draw | null; question: string; areAll: boolean | null };

/** Runs a certain plan. If its limit would leave out rows of equal rank, it takes all of them or asks whether to. */
function* runRanked(connection: Connection, plan: Plan, { notes, draw, question, areAll }: Ranked): Turn {
  const longer = withNextRows(plan);
  if (!longer || plan.limit === null) return yield* run(connection, plan, notes, draw);
  const { limit } = plan;
  const rows = `${limit} ${limit === 1 ? "row is" : "rows are"}`;
  const enough = `I assumed that ${rows} enough if others share the same rank.`;
  if (areAll === false || !isQuick(plan)) return yield* run(connection, plan, [...notes, enough], draw);
  const [result] = yield [probe(connection, longer)];
  if (!result?.isOk) return yield* run(connection, plan, [...notes, enough], draw);
  const count = countWithTies(plan, toAnswer(result.value).rows);
  if (count === limit) return yield* run(connection, plan, notes, draw);
  // More rows may share the rank than are read.
  const many = count === longer.limit ? `at least ${count}` : `all ${count}`;
  const first = limit === 1 ? "the first place" : `the first ${limit} places`;
  if (areAll || plan.withTies) {
    const all = `I assumed that ${many} rows are meant that share ${first}.`;
    return yield* run(connection, { ...plan, limit: count }, [...notes, all], draw);
  }
  const { said, options } = tieChoice(limit);
  return {
    text: `${many.replace("all ", "").replace(/^a/, "A")} rows share ${first}. Which ones do you mean?`,
    choices: options.map((option) => ({ label: option, question: withChoice(question, said, option) })),
  };
}

type Draw = { ask: ChartAsk; canDraw: boolean };

/** Runs a plan. A failed query is repaired from the database's error message, at most twice. */
function* run(connection: Connection, plan: Plan, notes: readonly string[], draw: Draw | null): Turn {
  let current = plan;
  for (let attempt = 0; ; attempt++) {
    const text = connection.language === "mongodb" ? toPipeline(current) : toSql(current, dialectOf(connection));
    const [result] = yield [
      { tool: "run_query", input: { connectionId: connection.id, query: text, limit: RESULT_ROWS } },
    ];
    if (result?.isOk) {
      const drawn = draw ? yield* drawChart(current, result.value, draw) : null;
      const isDrawn = drawn === "";
      return explain(current, toAnswer(result.value), drawn ? [...notes, drawn] : notes, isDrawn);
    }
    const message = plainWords(result?.message);
    const mended = attempt < REPAIRS_MAX ? mend(current, result?.message ?? "") : null;
    if (!mended)
      return `The database rejected my query: ${message} I couldn't fix it. Rephrase the question, or write the query in a console.`;
    current = mended;
  }
}

/** Shows the rows of a result as a chart. Returns "", or the reason why there is none. */
function* drawChart(
  plan: Plan,
  { rows, fields, rowCount, resultId }: Record<string, unknown>,
  { ask, canDraw }: Draw,
): Generator<ToolCall[], string, ToolResult[]> {
  const found = records<Record<string, unknown>>(rows);
  const chart = chartOf(plan, ask, { fields: records<ResultField>(fields), rows: found, rowCount: Number(rowCount) });
  if (typeof chart === "string") return chart;
  if (found.length === 0) return "";
  if (!canDraw || typeof resultId !== "string") return "Open the chart view of the result for a chart.";
  const [drawn] = yield [{ tool: "create_chart", input: { ...chart, resultId } }];
  return drawn?.isOk ? "" : `I couldn't draw the chart: ${plainWords(drawn?.message)}`;
}

/** Removes the parts that the database reports as missing or unsupported. */
function mend(plan: Plan, message: string): Plan | null {
  const named = (name: string) => message.toLowerCase().includes(name.toLowerCase());
  const extra = plan.outputs.filter(
    ({ alias, ref }) =>
      named(ref.column.name) &&
      plan.outputs.length > 1 &&
      !plan.order.some((each) => each.alias === alias) &&
      plan.measures.length === 0,
  );
  if (extra.length > 0) return { ...plan, outputs: plan.outputs.filter((output) => !extra.includes(output)) };
  // A text that looks like a date to us is none to the database, or the reverse: switch its reading.
  const broken = plan.where.find((each) => each.kind === "span" && named(each.ref.column.name));
  if (broken?.kind === "span") {
    const column = { ...broken.ref.column, isYear: !broken.ref.column.isYear };
    return {
      ...plan,
      where: plan.where.map((each) => (each === broken ? { ...broken, ref: { ...broken.ref, column } } : each)),
    };
  }
  return null;
}

function toAnswer(value: Record<string, unknown>): Answer {
  const rows = records<Record<string, unknown>>(value.rows);
  const fields = records<{ name: string }>(value.fields).map(({ name }) => String(name));
  return {
    fields: fields.length > 0 ? fields : Object.keys(rows[0] ?? {}),
    rows,
    rowCount: Number(value.rowCount ?? rows.length),
    truncated: value.truncated === true,
  };
}

/** Returns a refusal with its reason and what may be asked instead. */
function beyondWords(schema: Schema, reason = "I don't understand the question."): string {
  const tables = schema.tables.slice(0, 8).map(({ name }) => `\`${codeName(name)}\``);
  return `${reason} I know these tables: ${tables.join(", ")}. ${EXAMPLES}`;
}

/** Returns a tool's message as data: one line of plain text. */
function plainWords(message: string | undefined): string {
  const text = cell((message ?? "the tool returned no result").slice(0, 400));
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function codeName(name: string): string {
  return name.replaceAll(/[`\r\n]/g, "'").slice(0, 120);
}

function records<T>(value: unknown): T[] {
  return Array.isArray(value) ? (value.filter((each) => typeof each === "object" && each !== null) as T[]) : [];
}

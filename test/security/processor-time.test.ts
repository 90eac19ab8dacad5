// @module-tag heavy
import { Int32 } from "mongodb";
import { describe, expect, it } from "vitest";
import { findSpecProblems } from "@/lib/base/charts/spec-rules";
import { readMongoMarks } from "@/lib/base/mongo-shell/marks";
import { SQL_DIALECTS } from "@/lib/base/sql/dialects/registry";
import { readSqlTokens } from "@/lib/base/sql/lexer";
import { readSqlMarks } from "@/lib/base/sql/marks";
import { toSqlName, toSqlText } from "@/lib/base/sql/names";
import { describeQueryError } from "@/lib/base/sql/query-error";
import { splitStatements } from "@/lib/base/sql/statements";
import { namesLimitProblem, RESULT_COLUMNS_MAX } from "@/lib/base/values/column-limits";
import { editDistance, findClosest } from "@/lib/base/values/edit-distance";
import { parseExactJson, parseJsonWithTexts } from "@/lib/base/values/exact-json";
import { compareNumberText, groupDigits } from "@/lib/base/values/exact-number";
import { jsonErrorPlace } from "@/lib/base/values/json-error";
import { isSmallJson } from "@/lib/base/values/json-slices";
import { naturalKey } from "@/lib/base/values/natural-key";
import { isSameJson } from "@/lib/base/values/same-json";
import { openYaml } from "@/lib/base/yaml/read-yaml";
import { readChosen } from "@/lib/features/agent/offline/choice";
import { QUESTION_CHARS_MAX, readConversation } from "@/lib/features/agent/offline/conversation";
import { isReadingQuery } from "@/lib/features/connections/drivers/graphql/reading-query";
import { hasEditText, toEditText } from "@/lib/features/connections/drivers/mongodb/edit-values";
import { type Operation, readOperation, SHELL_CHARS_MAX } from "@/lib/features/connections/drivers/mongodb/operation";
import { checkOperation } from "@/lib/features/connections/drivers/mongodb/rules";
import { toShellText } from "@/lib/features/connections/drivers/mongodb/shell/write";
import { nextLink } from "@/lib/features/connections/drivers/rest/link-header";
import { parseJsonPath } from "@/lib/features/connections/drivers/shared/json-path";
import { SHORT_CHARS_MAX } from "@/lib/features/connections/drivers/shared/statements/check";
import { type CheckName, type Checks, runCheck } from "@/lib/features/connections/drivers/shared/statements/checks";
import { positionOf, positionOfCharacter } from "@/lib/features/connections/drivers/shared/text-position";
import { uniqueColumnNames } from "@/lib/features/query/column-names";
import { CHANGED_VALUE_CHARS_MAX } from "@/lib/features/query/limits";
import { parseJsonBytes } from "@/lib/platform/http/body";
import { fastestMs } from "@/test/processor-time";

/*
 * C2: every pure function on a request's path gets its largest valid input, in shapes that make loops and patterns
 * slow. To add one, add a line to FUNCTIONS with the function and its inputs by name.
 */

/** Maximum processor time of one call. Work on larger inputs belongs in a thread, or in slices. */
const LIMIT_MS = 50;

const MIB = 1024 * 1024;
const NAME_CHARS = 500;
const fill = (piece: string, chars: number) => piece.repeat(Math.ceil(chars / piece.length)).slice(0, chars);
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const map = <T, U>(inputs: Record<string, T>, to: (input: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, to(input)]));

/** Parts that fill a text: near misses, many starts, many ends. */
const PIECES: Record<string, string> = {
  "one letter": "a",
  spaces: " ",
  "line breaks": "\r\n",
  digits: "9",
  brackets: "(",
  "square brackets": "[",
  braces: "{",
  "double braces": "{{a}} ",
  "starts of optional clauses": "{{a}}[[and ",
  "optional clauses": "[[and {{a}}]]",
  "empty brackets": "()",
  quotes: "'",
  "double quotes": '"',
  backticks: "`",
  backslashes: "\\",
  dollars: "$",
  "dollar quotes": "$a$ ",
  "minus signs": "- ",
  dashes: "-",
  comments: "/* a */ ",
  "comments in comments": "/*",
  "ends of comments": "*/",
  "lines of comments": "--\n",
  hashes: "#",
  semicolons: ";",
  statements: "select 1;",
  commas: ",",
  dots: "a.",
  words: "a ",
  calls: "f(a,",
  "calls of VALUES": "values((",
  TABLE: "table(",
  CASE: "case when 1 then ",
  BEGIN: "begin ",
  END: "end; ",
  OR: " or 1=1",
  hints: "/*+ a */",
  "at signs": "@a ",
  colons: ":a ",
  "question marks": "?",
  stars: "*",
  slashes: "/",
  "lone surrogates": "\ud800",
  emoji: "\u{1F9AB}",
  "combining marks": "\u0301",
  NUL: "\0",
  exponents: "1e",
  escapes: "\\u0041",
};
const texts = (chars: number, before = "") => map(PIECES, (piece) => before + fill(piece, chars - before.length));
const statements = texts(SHORT_CHARS_MAX, "select ");

type Row = [name: string, run: (input: never) => unknown, inputs: Record<string, unknown>];
const row = <T>(name: string, run: (input: T) => unknown, inputs: Record<string, T>): Row => [name, run, inputs];
const check = <Name extends CheckName>(name: Name, rest: Omit<Checks[Name]["request"], "query">) =>
  row(
    `the check of ${name}`,
    (query: string) => runCheck(name, { query, ...rest } as Checks[Name]["request"]),
    statements,
  );

const mebibyteOfJson: Record<string, string> = {
  "a list of numbers": `[${fill("1,", 199_998)}1]`,
  "a list of long numbers": `[${fill("12345678901234567890,", MIB - 64)}1]`.replace(/,\d*1\]$/, ",1]"),
  "one number of a mebibyte": fill("9", MIB - 1),
  "a number with a long fraction": `0.${fill("9", MIB - 3)}`,
  "a text": `"${fill("a", MIB - 2)}"`,
  "a text of escapes": `"${fill("\\n", MIB - 2)}"`,
  "lists in lists": `${fill("[", MIB)}`,
  "an object of many keys": JSON.stringify(Object.fromEntries(times(45_000, (index) => [`key${index}`, index]))),
  "objects in a list": JSON.stringify(times(45_000, (index) => ({ a: index }))),
  blanks: `${fill(" ", MIB - 1)}1`,
};

/** Cells of a JSON column: one long number slowed down all the others. */
const wireJson: Record<string, string> = {
  ...mebibyteOfJson,
  "numbers and a long one": `[${fill("1,", MIB - 64)}12345678901234567890]`,
  // Invalid JSON, as from a hostile source.
  "a run of dots": `[${fill(".", MIB)}]`,
  "a run of dots with exponents": `[${fill("....e1234", MIB)}]`,
};

/** Values of MongoDB's shell that fill its longest text. */
const SHELL_VALUES = [
  ...[
    "1",
    "9",
    "1.5",
    "0x1F",
    "12345678901234567890",
    '"a"',
    "'\\n'",
    "null",
    "/a/i",
    "[]",
    "{}",
    "{a: 1}",
    "{a:{b:[1]}}",
  ],
  ...['ObjectId("0123456789abcdef01234567")', 'ISODate("2026-01-01")', 'NumberDecimal("1.5")', 'NumberLong("5")'],
  ...['UUID("01234567-89ab-4def-8123-456789abcdef")', "1 + 2", "-1", "(1)", "/* a */ 1", "`a`"],
];
const shellTexts: Record<string, string> = {
  ...Object.fromEntries(
    SHELL_VALUES.map((value) => {
      const [head, tail] = ["db.a.insertOne({a:[", "]})"];
      const count = Math.floor((SHELL_CHARS_MAX - head.length - tail.length) / (value.length + 1));
      return [value, `${head}${`${value},`.repeat(count)}${tail}`];
    }),
  ),
  "many keys": `db.a.insertOne({${times(25_000, (index) => `k${index}:1`).join(",")}})`,
  "a long text": `db.a.insertOne({a:"${fill("a", SHELL_CHARS_MAX - 22)}"})`,
  "many calls": `db.a.find({})${fill(".pretty()", SHELL_CHARS_MAX - 20 - ((SHELL_CHARS_MAX - 20) % 9))}`,
};

/** Values of documents, in as many lists as MongoDB allows: the text of each item is longer with each of them. */
const nestedIn = (inner: unknown) => times(95, () => null).reduce((each) => [each], [inner]);
const deepValues: Record<string, unknown> = {
  "a list": nestedIn(times(450_000, () => new Int32(1))),
  "objects in a list": nestedIn(times(50_000, () => ({ a: new Int32(1), b: "text" }))),
  "texts of quotes": nestedIn(times(2000, () => fill('"', 200))),
  "a text of 16 MiB": nestedIn(fill("\\", 16 * MIB)),
};

/** Optional clauses that open far from their ends. */
const nestedClauses = {
  "one end": `{{a}}${fill("[[and ", MIB / 4)}]]`,
  "ends after spaces": `{{a}}${fill("[[and ", MIB / 8)}${fill(" ", MIB / 8)}or ]]`,
  "an end for each": `${fill("[[and ", 6 * 20_000)}{{a}}${fill("]]", 2 * 20_000)}`,
  "variables at each level": `${fill("[[and [[and ", 12 * 10_000)}{{a}}${fill("]] {{a}} ]]", 11 * 10_000)}`,
};

const FUNCTIONS: Row[] = [
  row("uniqueColumnNames", uniqueColumnNames, {
    "equal names": times(RESULT_COLUMNS_MAX, () => "a"),
    "empty names": times(RESULT_COLUMNS_MAX, () => ""),
    "names and their numbers": times(RESULT_COLUMNS_MAX, (index) => (index % 2 === 0 ? "a" : `a_${index}`)),
    "long names": times(RESULT_COLUMNS_MAX, () => fill("n", 200)),
  }),
  row("namesLimitProblem", namesLimitProblem, { "5,001 columns": times(5001, (index) => ({ name: `c${index}` })) }),
  ...SQL_DIALECTS.flatMap((dialect) => [
    row(`readSqlTokens for ${dialect}`, (text: string) => readSqlTokens(text, dialect), statements),
    row(`splitStatements for ${dialect}`, (text: string) => splitStatements(text, dialect), statements),
    row(`toSqlName for ${dialect}`, (text: string) => toSqlName(text, dialect), texts(NAME_CHARS)),
    row(`toSqlText for ${dialect}`, (text: string) => toSqlText(text, dialect), texts(10_000)),
  ]),
  check("mysql", { readOnly: true, valueCount: 0 }),
  check("mysql", { readOnly: false, valueCount: 0 }),
  ...SQL_DIALECTS.map((dialect) => check("changeVerb", { dialect })),
  check("clickhouse", { readOnly: true, params: [], database: "d", functions: null }),
  check("trino", { readOnly: true }),
  check("redshift", { readOnly: true }),
  check("variables", { language: "sql", dialect: "postgres", own: /^[$]/ }),
  check("variables", { language: "sql", dialect: "sqlite", own: null }),
  ...(["postgres", "sqlite"] as const).map((dialect) =>
    row(`readSqlMarks of nested clauses for ${dialect}`, (text: string) => readSqlMarks(text, dialect), nestedClauses),
  ),
  check("variables", { language: "mongodb", dialect: "standard", own: null }),
  row("readMongoMarks", readMongoMarks, statements),
  row(
    "readOperation",
    (text: string) => checkOperation(readOperation(text), true),
    texts(SHELL_CHARS_MAX, "db.a.find("),
  ),
  row("readOperation of values", (text: string) => readOperation(text), shellTexts),
  row(
    "checkOperation of values",
    (operation: Operation) => checkOperation(operation, false),
    map(shellTexts, readOperation),
  ),
  row(
    "readOperation of an object",
    (operation: Record<string, unknown>) => checkOperation(readOperation(operation), true),
    {
      "a pipeline nested 10,000 deep": times(10_000, () => null).reduce<Record<string, unknown>>(
        (inner) => ({ $lookup: { from: "a", as: "b", pipeline: [inner] } }),
        { $match: {} },
      ),
      "a long list": { collection: "a", operation: "find", filter: { a: { $in: times(30_000, (index) => index) } } },
      "many keys": {
        collection: "a",
        operation: "find",
        filter: Object.fromEntries(times(15_000, (i) => [`k${i}`, 1])),
      },
    },
  ),
  row("toShellText of 32 KiB", (value: unknown) => toShellText(value, { charsMax: 32 * 1024 }), deepValues),
  row("toEditText", (value: unknown) => toEditText(value, CHANGED_VALUE_CHARS_MAX), deepValues),
  row("hasEditText", (value: unknown) => hasEditText(value), deepValues),
  row(
    "parseJsonBytes",
    (bytes: Uint8Array) => parseJsonBytes(bytes),
    map(mebibyteOfJson, (text) => Buffer.from(text)),
  ),
  row("parseJsonWithTexts", parseJsonWithTexts, wireJson),
  row("parseExactJson", (text: string) => parseExactJson(text), wireJson),
  row("jsonErrorPlace", jsonErrorPlace, texts(64 * 1024)),
  row("isSmallJson", isSmallJson, {
    "a text": fill("a", MIB),
    "an object of many keys": Object.fromEntries(times(45_000, (index) => [`key${index}`, index])),
    "objects in a list": times(45_000, (index) => ({ a: index })),
    "lists in lists": times(1000, () => null).reduce<unknown>((inner) => [inner], 1),
  }),
  row("isSameJson", (value: unknown) => isSameJson(value, structuredClone(value)), {
    "a list": times(20_000, (index) => index),
    "an object": Object.fromEntries(times(10_000, (index) => [`k${index}`, index])),
  }),
  row("editDistance of names", (name: string) => editDistance(name, name.toUpperCase()), texts(NAME_CHARS)),
  row(
    "findClosest",
    (word: string) =>
      findClosest(
        word,
        times(200, (index) => `${"name".repeat(10)}${index}`),
      ),
    {
      "a name": "name".repeat(10),
      "a text of a mebibyte": fill("a", MIB),
    },
  ),
  row("compareNumberText", (text: string) => compareNumberText(text, text), { digits: fill("9", 10_000) }),
  row("openYaml", (text: string) => openYaml(text, { notAMap: "" }), {
    "many keys": times(2000, (index) => `k${index}: 1`).join("\n"),
  }),
  row("groupDigits", groupDigits, { digits: fill("9", 10_000) }),
  row("naturalKey", naturalKey, texts(NAME_CHARS)),
  row("parseJsonPath", parseJsonPath, texts(10_000)),
  row("isReadingQuery", isReadingQuery, texts(64 * 1024)),
  row("nextLink", nextLink, texts(64 * 1024)),
  row("readChosen", readChosen, {
    ...texts(64 * 1024),
    "spaces before a start": `“${fill(" ", 64 * 1024)}(x`,
    starts: fill("(“a ", 64 * 1024),
    meanings: `a ${fill("(“a” means b) ", 64 * 1024)}`,
    "spaces after a meaning": `a (“a” means b)${fill(" ", 64 * 1024)}x`,
  }),
  row("describeQueryError", describeQueryError, texts(10_000)),
  row("positionOf", (text: string) => positionOf(text, text.length), texts(MIB)),
  row("positionOfCharacter", (text: string) => positionOfCharacter(text, text.length), texts(MIB)),
  row(
    "findSpecProblems",
    (calculate: string) => findSpecProblems({ transform: [{ calculate, as: "a" }] }),
    texts(64 * 1024),
  ),
];

describe("the largest valid input of a pure function on the request path", () => {
  it.each(FUNCTIONS)("C2 takes %s at most 50 ms of processor time", (_, run, inputs) => {
    const slow = Object.entries(inputs).flatMap(([name, input]) => {
      const ms = fastestMs(LIMIT_MS, () => run(input as never));
      return ms > LIMIT_MS ? [`${name}: ${ms.toFixed(0)} ms`] : [];
    });
    expect(slow).toEqual([]);
  });
});

it("C2 reads only the start of an earlier question", () => {
  const [long, short] = [fill("orders ", MIB), "how many customers"];
  const prompt = [long, short].map((text) => ({ role: "user" as const, content: [{ type: "text" as const, text }] }));
  expect(readConversation(prompt)).toMatchObject({ question: short, earlier: [long.slice(0, QUESTION_CHARS_MAX)] });
});

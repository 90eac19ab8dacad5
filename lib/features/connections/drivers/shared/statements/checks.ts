import { readMongoMarks } from "../../../../../base/mongo-shell/marks.ts";
import type { SqlDialect } from "../../../../../base/sql/dialects/registry.ts";
import { readSqlTokens } from "../../../../../base/sql/lexer.ts";
import { type Mark, openClauses, readSqlMarks } from "../../../../../base/sql/marks.ts";
import type { QueryErrorDetails, QuerySuggestion } from "../../../../../base/sql/query-error.ts";
import { suggestCorrections } from "../../../../../base/sql/query-suggestions.ts";
import { type ChangeVerb, changeVerbOf, firstWordOf } from "../../../../../base/sql/statement-kind.ts";
import { findSqlWrite, type StatementWrite } from "../../../../../base/sql/writes.ts";
import type { Entity } from "../../../../../base/values/fields.ts";
import { AppError } from "../../../../../platform/http/errors.ts";
import {
  checkStatement as checkClickHouse,
  checkFunctions,
  checkSecrets,
  type RefusedFunctions,
  refusedAmong,
  type ServerFunction,
} from "../../clickhouse/statement-guard.ts";
import { type CheckedStatement, checkStatement as checkMysql } from "../../mysql/statement-guard.ts";
import { checkStatement as checkRedshift } from "../../redshift/statement-guard.ts";
import { checkStatement as checkTrino } from "../../trino/statement-guard.ts";

/** Checks of a statement's text, with plain values so that a thread can run them. */
export type Checks = {
  mysql: {
    request: { query: string; readOnly: boolean; valueCount: number; isInSession?: boolean };
    /** `firstWord` is in capitals, or "(" where the statement starts with it. */
    answer: CheckedStatement & { firstWord: string; changeVerb: ChangeVerb | null };
  };
  changeVerb: { request: { query: string; dialect: SqlDialect }; answer: ChangeVerb | null };
  clickhouse: {
    request: {
      query: string;
      readOnly: boolean;
      params: readonly (readonly [name: string, value: string])[];
      database: string;
      /** Null: the server does not list them. Absent: functions are not checked yet. */
      functions?: readonly ServerFunction[] | null;
    };
    answer: null;
  };
  redshift: { request: { query: string; readOnly: boolean }; answer: null };
  trino: { request: { query: string; readOnly: boolean }; answer: { text: string } };
  /** Corrections of a failed statement. */
  suggestions: {
    request: {
      query: string;
      dialect: SqlDialect;
      message: string;
      details: QueryErrorDetails;
      entities: readonly Entity[];
    };
    answer: QuerySuggestion[];
  };
  /** Effect of a statement that a person may have to confirm. */
  write: { request: { query: string; dialect: SqlDialect }; answer: StatementWrite | null };
  variables: {
    request: {
      query: string;
      language: string | null;
      dialect: SqlDialect;
      /** Native placeholders of the engine, which variables cannot be combined with. */
      own: RegExp | null;
    };
    answer: { marks: Mark[]; ownPlaceholder: string | null };
  };
};

export type CheckName = keyof Checks;
export type CheckRequest = { [Name in CheckName]: { name: Name } & Checks[Name]["request"] }[CheckName];
/** Result of a check, with errors as plain values: they lose their class between threads. */
export type CheckAnswer =
  | { status: "ok"; answer: Checks[CheckName]["answer"] }
  | { status: "failed"; kind: AppError["kind"]; message: string; details?: AppError["details"] };

const CHECKS: { [Name in CheckName]: (request: Checks[Name]["request"]) => Checks[Name]["answer"] } = {
  mysql({ query, readOnly, valueCount, isInSession }) {
    const checked = checkMysql(query, readOnly, valueCount, isInSession);
    const { text } = checked;
    const firstWord = text.trimStart().startsWith("(") ? "(" : firstWordOf(text, "mysql");
    return { ...checked, firstWord, changeVerb: changeVerbOf(text, "mysql") };
  },
  changeVerb: ({ query, dialect }) => changeVerbOf(query, dialect),
  clickhouse({ query, readOnly, params, database, functions }) {
    const words = checkClickHouse(query, readOnly);
    if (!readOnly) return null;
    checkSecrets(words, params, database);
    if (functions !== undefined) checkFunctions(words, params, refusedOf(functions));
    return null;
  },
  redshift({ query, readOnly }) {
    checkRedshift(query, readOnly);
    return null;
  },
  trino({ query, readOnly }) {
    // The protocol takes a statement without its semicolon; the server reports one within it.
    const last = readSqlTokens(query, "trino").findLast(({ kind }) => kind !== "semicolon");
    const text = last ? query.slice(0, last.end) : query;
    checkTrino(text, readOnly);
    return { text };
  },
  suggestions: ({ query, entities, ...failed }) => suggestCorrections({ text: query, ...failed }, entities),
  write: ({ query, dialect }) => findSqlWrite(query, dialect),
  variables({ query, language, dialect, own }) {
    const marks = language === "mongodb" ? readMongoMarks(query) : readSqlMarks(query, dialect);
    const tokens = own && marks.length > 0 ? readSqlTokens(openClauses(query, marks), dialect) : [];
    const token = tokens.find(({ kind, text }) => kind === "symbol" && own?.test(text));
    return { marks, ownPlaceholder: token?.text ?? null };
  },
};

/** Cached, since a server has thousands of functions, and statements come by the hundred. */
const refusedBy = new WeakMap<readonly ServerFunction[], RefusedFunctions>();

function refusedOf(functions: readonly ServerFunction[] | null): RefusedFunctions {
  if (functions === null) return refusedAmong(null);
  const refused = refusedBy.get(functions) ?? refusedAmong(functions);
  refusedBy.set(functions, refused);
  return refused;
}

/** Runs a check. @throws AppError errors of the check */
export function runCheck<Name extends CheckName>(name: Name, request: Checks[Name]["request"]): Checks[Name]["answer"] {
  return CHECKS[name](request);
}

/** Runs a check and returns its error as a value, for the worker thread. */
export function answerCheck({ name, ...request }: CheckRequest): CheckAnswer {
  try {
    return { status: "ok", answer: runCheck(name, request as Checks[CheckName]["request"] as never) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { status: "failed", kind: error.kind, message: error.message, details: error.details };
  }
}

import type { SQLDialectSpec } from "@codemirror/lang-sql";
import type { SqlLanguage } from "sql-formatter";
import type { CellValue } from "../../values/json-rows.ts";
import type { MetricSql } from "./metric-sql.ts";

/*
 * The interface of a SQL dialect: everything that the product asks about a database's SQL. A dialect is one folder that
 * exports one `Dialect`; callers ask for its parts, never for its name.
 */

/** Rules of an opening quote. */
export type Quote = {
  kind: "string" | "name";
  close: string;
  /** Whether a backslash escapes the next character. */
  escapes: boolean;
  /** Whether a doubled closing quote is an escaped one. */
  doubles: boolean;
};

/**
 * Lexical rules, for the shared lexer (`lexer.ts`) and splitter (`statements.ts`). A property test compares them with
 * the database's behaviour. All patterns are sticky and match at least one character.
 */
export type LexicalRules = {
  space: RegExp;
  /** A line comment, without the line break. */
  lineComment: RegExp;
  nestedComments: boolean;
  /** Whether the server runs `/*! ... *\/` and MariaDB's `/*M! ... *\/`. */
  runComments: boolean;
  quotes: Readonly<Record<string, Quote>>;
  /** Letters directly before a single quote that change how the string is read. */
  prefixes: Readonly<Record<string, Quote>>;
  /** Gap between two parts of one string, up to the quote of the second; it must contain a line break. */
  stringGap: RegExp | null;
  /** The tag that opens and closes a dollar-quoted string. */
  dollarTag: RegExp | null;
  /** ClickHouse reads a tag without a closing one as a word, not as a string. */
  bareTags: boolean;
  /** A placeholder with its suffix: SQLite reads `$a::b(c)` as one, with any text in the brackets. */
  placeholder: RegExp | null;
  word: RegExp;
  number: RegExp;
  /**
   * Whether the dialect has MySQL's `@a`, `@'a'`, `@@a`, and no word with an adjacent dot or a leading digit is a
   * keyword.
   */
  serverNames: boolean;
  /** Kinds of statements that contain semicolons (`bodies.ts`). */
  bodies: "trigger" | "atomic" | "program" | null;
  /** Whether clients have the line `DELIMITER //`, as MySQL's. */
  delimiterLines: boolean;
};

/** Length of a date span. */
export type DateGrain = "day" | "week" | "month" | "quarter" | "year";

/** A value of a result, to be written as a literal. */
export type Cell = {
  /** Never null. */
  value: Exclude<CellValue, null>;
  /** The value as plain text. */
  text: string;
  /** The product's type (`FieldType`). */
  type: string;
  /** The database's type; empty where it is unknown. */
  dbType: string;
};

/** Grammar of the browser editor: one of the library's, and what differs from it. */
export type EditorGrammar = {
  base: "MySQL" | "PostgreSQL" | "SQLite" | "StandardSQL";
  changes?: Readonly<SQLDialectSpec>;
};

export interface Dialect {
  readonly lexical: LexicalRules;
  /** Words that need quotes as names, beyond those of every dialect. */
  readonly reserved: ReadonlySet<string>;
  /** The type to which a value is cast before it is compared as text. */
  readonly textType: string;
  /** Whether a boolean literal is a word; otherwise it is 1 or 0. */
  readonly booleanWords: boolean;
  /** Whether a literal of a time states its type: `timestamp '...'`. Others compare a time with a text. */
  readonly typedTimes: boolean;
  /** The function that returns the 1-based position of a text in another; 0 for none. */
  readonly position: string;
  /** Grammar of the browser editor. */
  readonly editor: EditorGrammar;
  /** Language of the formatter. */
  readonly formatter: SqlLanguage;
  /** Functions that completion offers, beyond those of every dialect. */
  readonly functions: readonly string[];
  /** Returns a text as a string literal. Absent: the text in quotes. @param quote returns a text in quotes */
  toText?(text: string, quote: (text: string) => string): string;
  /** Returns a literal of bytes. @param hex two digits per byte */
  toBytes(hex: string): string;
  /** Returns a literal of a day. @param text the day as a string literal */
  toDay(text: string): string;
  /**
   * Returns a literal of a cell whose plain text the database would not read as the same value; null for any other.
   * Absent: there are none. @param quote returns a text as a string literal
   */
  toCell?(cell: Cell, quote: (text: string) => string): string | null;
  /** Returns a condition on a part of a column's value, regardless of case. Absent: LIKE with ESCAPE. */
  toContains?(column: string, text: string): string;
  /** Returns a column as text, for a comparison with one. Absent: columns of text types need no cast. */
  toTextColumn?(column: string): string;
  /**
   * Returns a column of a table that a left join adds, so that it is null in rows without a match. Absent: it is.
   * @param type the database's type
   */
  toOptional?(column: string, type: string): string;
  /**
   * Returns a literal of a number for a comparison with a column. Absent: its digits.
   * @param digits with a sign and a point at most
   * @param type the database's type of the column
   */
  toNumber?(digits: string, type: string): string;
  /**
   * Returns a constant of a calculation. Absent: its digits.
   * @param digits with a sign and a point at most
   * @param types the database's types of the other columns of the calculation
   */
  toConstant?(digits: string, types: readonly string[]): string;
  /**
   * Returns the clauses for the rows with the highest keys, with a leading space, where the database reads few others
   * for them. Absent: it would read the whole table.
   * @param key a primary key of whole numbers
   */
  toLastRows?(key: string, table: string, rows: number): string;
  /**
   * Returns a number that the database can average, and compare with other numbers. Absent: the number itself.
   * @param type its type in the database
   */
  toNumeric?(value: string, type: string): string;
  /** Returns a value that the database can group by. Absent: every value. @param type its type in the database */
  toGroupable?(value: string, type: string): string;
  /** Returns the clauses for a page of rows, with a leading space. */
  toPage(rows: number, skipped: number): string;
  /** SQL of metric queries. Absent: metrics cannot be queried. */
  readonly metrics?: MetricSql;
  /** Returns a time column truncated to a grain, in the form that the result shows. */
  toGrain(column: string, grain: DateGrain): string;
}

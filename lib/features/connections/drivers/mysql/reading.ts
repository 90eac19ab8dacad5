import { SqlLexer, type SqlToken, toSqlToken } from "../../../../base/sql/lexer.ts";

/*
 * Tokens, comments and doubtful places of a MySQL or MariaDB text, for the guards. The dialect is that of our sessions
 * (`session.ts`). A `doubt` marks text that versions, or a person and the server, would read differently.
 */

export type Comment = { kind: "plain" | "hint" | "run"; start: number; end: number };

/** `isOpen`: a quote or comment has no end, so the text is incomplete. */
export type Doubt = { message: string; at: number; isOpen: boolean };

export type Reading = { tokens: SqlToken[]; comments: Comment[]; doubt: Doubt | null };

/** Hints have a separate lexer; text that is plain in both is safe. */
const PLAIN_HINT = /^\/\*\+[\w \t\r\n$@(),.]*\*\/$/;
const UNSEEN = /[\p{Z}\p{C}]/u;
const BEYOND_ASCII = /[\u0080-\uffff]/;
const DIGITS: Readonly<Record<string, RegExp>> = { x: /^'(?:[0-9A-Fa-f]{2})*'$/, b: /^'[01]*'$/ };

/** Reads the whole text and never throws. Reports the first doubt. */
export function readMysqlText(text: string): Reading {
  const tokens: SqlToken[] = [];
  const comments: Comment[] = [];
  let doubt: Doubt | null = null;
  // To the server this is an end, but not in every place.
  const nul = text.indexOf("\0");
  if (nul >= 0) doubt = { message: "The statement contains a NUL character.", at: nul, isOpen: false };
  const lexer = new SqlLexer(text, "mysql");
  for (let piece = lexer.next(); piece; piece = lexer.next()) {
    const { kind, start, end } = piece;
    const token = toSqlToken(text, "mysql", piece);
    if (kind === "comment" || kind === "hint" || kind === "run") {
      comments.push({ kind: kind === "comment" ? "plain" : kind, start, end });
    }
    const open = lexer.isOpen ? openAt(text, kind, start) : null;
    const message = token ? doubtOf(text, token, tokens.at(-1)) : doubtOfComment(text, kind, start, end);
    doubt ??= open ?? (message === null ? null : { message, at: start, isOpen: false });
    if (token) tokens.push(token);
  }
  return { tokens, comments, doubt };
}

function openAt(text: string, kind: string, start: number): Doubt {
  if (kind === "comment" || kind === "hint" || kind === "run") {
    return { message: "Unterminated comment.", at: start, isOpen: true };
  }
  const signs = kind === "variable" ? (text.startsWith("@@", start) ? 2 : 1) : 0;
  return { message: "Unterminated quoted string.", at: start + signs, isOpen: true };
}

function doubtOfComment(text: string, kind: string, start: number, end: number): string | null {
  if (kind === "run") return "Executable comments (/*! ... */) are not allowed.";
  const isDoubted = kind === "hint" && !PLAIN_HINT.test(text.slice(start, end));
  return isDoubted ? "Optimizer hints can contain only names and numbers." : null;
}

function doubtOf(text: string, { kind, start, end }: SqlToken, before: SqlToken | undefined): string | null {
  const source = text.slice(start, end);
  if (kind === "symbol") return doubtOfSymbol(text, source, start);
  if ((kind === "word" || kind === "name") && !source.startsWith("`")) {
    if (UNSEEN.test(source)) {
      return "Non-standard space or invisible character.";
    }
    return source.startsWith("$") ? "Quote names that start with $." : null;
  }
  // The server stops within such a number, and reports it.
  if (kind === "number" && /[.]\d*$/.test(source) && /[eE]/.test(text.charAt(end))) {
    return "The exponent has no digits.";
  }
  if (kind === "variable" && !/^@@?['"`]/.test(source) && !source.startsWith("@@") && BEYOND_ASCII.test(source)) {
    return "Quote variable names with non-ASCII characters: @`name`.";
  }
  // x'..' and b'..' have no escapes.
  if (kind !== "string" || before?.kind !== "word" || before.end !== start || !source.startsWith("'")) return null;
  const digits = DIGITS[before.text.toLowerCase()];
  return !digits || digits.test(source) ? null : `Expected quoted digits after ${before.text}.`;
}

function doubtOfSymbol(text: string, source: string, start: number): string | null {
  if (source === "-" && text.charAt(start + 1) === "-" && text.charAt(start + 2) > "\x7f") {
    return "Add a space after -- to start a comment.";
  }
  if (source === "\\") return "Backslashes outside quotes are not allowed.";
  return source < " " || source === "\x7f" ? "Control characters outside quotes are not allowed." : null;
}

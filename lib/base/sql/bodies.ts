import { DIALECTS, type SqlDialect } from "./dialects/registry.ts";
import type { SqlPieceKind } from "./lexer.ts";

/*
 * Finds semicolons that do not end a statement: in the bodies of triggers and routines. Each reader gets the tokens of
 * one statement in order; words in capitals, other tokens unchanged.
 */

export interface BodyReader {
  /** @param text of a word in capitals, of a symbol unchanged, empty for all other tokens */
  take(kind: SqlPieceKind, text: string): void;
  /** Whether semicolons belong to the statement now. */
  readonly isInside: boolean;
  /** True once it is known that none of its semicolons belongs to the statement. */
  readonly isPlain: boolean;
}

/** @returns null for a dialect whose statements contain no semicolons */
export function readBody(dialect: SqlDialect): BodyReader | null {
  const { bodies } = DIALECTS[dialect].lexical;
  if (bodies === "trigger") return new ListBody(TRIGGER, "BEGIN");
  if (bodies === "atomic") return new ListBody(POSTGRES_ROUTINE, "ATOMIC");
  return bodies === "program" ? new ProgramBody() : null;
}

/** Number of leading words that identify a statement: `EXPLAIN QUERY PLAN CREATE TEMP TRIGGER`. */
const HEAD_WORDS_MAX = 6;
const TRIGGER = /^(?:EXPLAIN (?:QUERY PLAN )?)?CREATE (?:TEMP |TEMPORARY )?TRIGGER /;
const POSTGRES_ROUTINE = /^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE|RULE) /;

/**
 * A list of statements that all end with a semicolon, between one word and END: a trigger's in SQLite, a routine's in
 * PostgreSQL (BEGIN ATOMIC). An END after a semicolon closes it, since no statement in it starts so; any other one
 * belongs to a CASE, or is a name. PostgreSQL's rules have such a list in brackets.
 */
class ListBody implements BodyReader {
  readonly #pattern: RegExp;
  readonly #opener: string;
  #head = "";
  #headWords = 0;
  #isBody = false;
  #depth = 0;
  #brackets = 0;
  #before = "";

  constructor(pattern: RegExp, opener: string) {
    this.#pattern = pattern;
    this.#opener = opener;
  }

  get isInside(): boolean {
    return this.#depth > 0 || this.#brackets > 0;
  }

  get isPlain(): boolean {
    if (this.#isBody || this.#headWords === 0) return false;
    return this.#headWords === HEAD_WORDS_MAX || !/^(?:CREATE|EXPLAIN) /.test(this.#head);
  }

  take(kind: SqlPieceKind, text: string): void {
    const before = this.#before;
    this.#before = text;
    if (!this.#isBody) {
      this.#head += `${kind === "word" ? text : "?"} `;
      this.#headWords += 1;
      this.#isBody = this.#pattern.test(this.#head);
    } else if (text === this.#opener) {
      if (this.#opener === "BEGIN" ? this.#depth === 0 : before === "BEGIN") this.#depth += 1;
    } else if (text === "END" && (before === ";" || before === this.#opener)) {
      this.#depth = Math.max(0, this.#depth - 1);
    } else if (this.#head.endsWith(" RULE ")) {
      if (text === "(") this.#brackets += 1;
      if (text === ")") this.#brackets = Math.max(0, this.#brackets - 1);
    }
  }
}

type Block = "begin" | "case" | "if" | "loop" | "while" | "repeat" | "expression";
const BLOCKS: Readonly<Record<string, Block | undefined>> = {
  BEGIN: "begin",
  CASE: "case",
  IF: "if",
  LOOP: "loop",
  WHILE: "while",
  FOR: "while",
  REPEAT: "repeat",
};
/** Blocks whose head is followed by statements; the others start with an expression. */
const BEGIN_STATEMENTS: ReadonlySet<Block> = new Set(["begin", "loop", "repeat"]);
/** First words of a routine's or handler's body without a block and without control flow. */
const SIMPLE = new Set(
  "RETURN SELECT INSERT REPLACE UPDATE DELETE CALL DO SIGNAL RESIGNAL EXECUTE DROP CREATE ALTER SET".split(" "),
);
const ROUTINES = new Set(["PROCEDURE", "FUNCTION", "TRIGGER", "EVENT"]);
/** Words after which SET is not a statement but a type, or part of CHARACTER SET. */
const BEFORE_OTHER_SET = new Set(["RETURNS", "CHARACTER"]);

/**
 * Finds the bodies of SQL's programs (SQL/PSM), as in MySQL, MariaDB and Trino: nested blocks and control flow. Their
 * words are functions and expressions elsewhere: `IF(a, b, c)`, `REPEAT('x', 3)`, `CASE ... END`. So a word counts only
 * where a statement starts.
 */
class ProgramBody implements BodyReader {
  #phase: "head" | "name" | "description" | "body" | "none" = "head";
  #head: string[] = [];
  #kind = "";
  #brackets = 0;
  readonly #blocks: Block[] = [];
  /** Whether the next token starts a statement. */
  #isStart = false;
  /** The first word of the statement within the body. */
  #first = "";
  /** `DECLARE ... HANDLER FOR ...` ends with a statement; its FOR is not a loop. */
  #isHandler = false;
  /** After the END of a block its kind may follow. */
  #isBehindEnd = false;
  /** Whether the previous token, which started a statement, is a name: a label, if a colon follows. */
  #isLabelled = false;
  #before = "";

  get isInside(): boolean {
    return this.#blocks.length > 0;
  }

  get isPlain(): boolean {
    return this.#phase === "none" && !(this.#head[0] === "WITH" && this.#kind !== "");
  }

  take(kind: SqlPieceKind, text: string): void {
    const word = kind === "word" ? text : "";
    if (this.#phase === "body") this.#takeOfBody(kind, text);
    else if (this.#phase === "head") this.#takeOfHead(word, text);
    else if (this.#phase === "name") this.#takeOfName(text);
    else if (this.#phase === "description") this.#takeOfDescription(word, text);
    // WITH FUNCTION a() ... BEGIN ... END, FUNCTION b() ...
    else if (word === "FUNCTION" && this.#before === ",") this.#beginRoutine(word);
    this.#before = text;
  }

  /** Reads the head, which names the kind of statement. */
  #takeOfHead(word: string, text: string): void {
    this.#head.push(text);
    const [first] = this.#head;
    if (this.#head.length === 1) {
      // In MariaDB these start a statement; BEGIN alone starts a transaction.
      if (BLOCKS[word] && word !== "BEGIN") this.#open(word);
      else if (!/^(?:CREATE|ALTER|WITH|BEGIN)$/.test(word)) this.#phase = "none";
    } else if (first === "BEGIN") {
      if (word === "NOT") this.#open(first);
      else this.#phase = "none";
    } else if (ROUTINES.has(word)) this.#beginRoutine(word);
    else if (!isBeforeKind(this.#head)) this.#phase = "none";
  }

  #beginRoutine(kind: string): void {
    this.#phase = "name";
    this.#kind = kind;
    this.#brackets = 0;
  }

  /** Reads the name, and the parameters of a routine, or the event of a trigger. */
  #takeOfName(text: string): void {
    const isEnd =
      this.#kind === "TRIGGER" ? text === "ROW" : this.#kind === "EVENT" ? text === "DO" : this.#isLastBracket(text);
    if (isEnd) this.#phase = "description";
  }

  #isLastBracket(text: string): boolean {
    if (text === "(") this.#brackets += 1;
    if (text !== ")") return false;
    this.#brackets -= 1;
    return this.#brackets === 0;
  }

  /** Reads the return type and the characteristics, up to the first word of the body. */
  #takeOfDescription(word: string, text: string): void {
    this.#isLastBracket(text);
    if (this.#brackets > 0 || word === "") return;
    if (BLOCKS[word]) this.#open(word);
    else if (SIMPLE.has(word) && !(word === "SET" && BEFORE_OTHER_SET.has(this.#before))) this.#phase = "none";
  }

  #takeOfBody(kind: SqlPieceKind, text: string): void {
    const isStart = this.#isStart;
    const isBehindEnd = this.#isBehindEnd;
    this.#isStart = false;
    this.#isBehindEnd = false;
    if (isStart) this.#first = text;
    if (kind === "semicolon") this.#endStatement();
    else if (text === ":") this.#isStart = this.#isLabelled;
    else if (text === "END" && this.#before !== ".") this.#close();
    else if (kind === "word" && !(isBehindEnd && BLOCKS[text])) this.#takeWord(text, isStart);
    this.#isLabelled = isStart && (kind === "word" || kind === "name");
  }

  #takeWord(word: string, isStart: boolean): void {
    const inner = this.#blocks.at(-1);
    if (word === "HANDLER" && this.#first === "DECLARE") this.#isHandler = true;
    else if (BLOCKS[word] && (isStart || (this.#isHandler && this.#before !== "HANDLER"))) this.#open(word);
    else if (word === "CASE") this.#blocks.push("expression");
    // BEGIN NOT ATOMIC
    else if ((word === "NOT" || word === "ATOMIC") && isStart) this.#isStart = true;
    else if ((word === "THEN" || word === "ELSE") && (inner === "if" || inner === "case")) this.#isStart = true;
    else if (word === "DO" && inner === "while" && !isStart) this.#isStart = true;
    else if (SIMPLE.has(word)) this.#isHandler = false;
  }

  #open(word: string): void {
    const block = BLOCKS[word] ?? "begin";
    this.#phase = "body";
    this.#blocks.push(block);
    this.#isStart = BEGIN_STATEMENTS.has(block);
    this.#isHandler = false;
  }

  #close(): void {
    this.#isBehindEnd = this.#blocks.pop() !== "expression";
    if (this.#blocks.length === 0) this.#phase = "none";
  }

  #endStatement(): void {
    while (this.#blocks.at(-1) === "expression") this.#blocks.pop();
    this.#isStart = true;
    this.#isHandler = false;
  }
}

/** Returns whether a kind may still follow: `CREATE OR REPLACE DEFINER = a@b AGGREGATE`. */
function isBeforeKind(head: readonly string[]): boolean {
  const last = head.at(-1) ?? "";
  if (/^(?:OR|REPLACE|DEFINER|AGGREGATE|=|\(|\)|CURRENT_USER|CURRENT_ROLE)$/.test(last)) return true;
  const definer = head.indexOf("DEFINER");
  // The name of a user and its host.
  return definer > 0 && head.length - definer <= 5;
}

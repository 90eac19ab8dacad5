/*
 * Grammar of the expressions in metric files: a closed subset of SQL. A text is parsed into a tree, and queries are
 * written from the tree alone, so no character of the text can reach a statement in another role.
 */

/** A name as written. One without quotes matches regardless of case. */
export type Name = { text: string; isQuoted: boolean };

export const CAST_TYPES = ["text", "integer", "decimal", "float", "boolean", "date", "timestamp"] as const;
export type CastType = (typeof CAST_TYPES)[number];

export const DATE_PARTS = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"] as const;
export type DatePart = (typeof DATE_PARTS)[number];

export type BinaryOp = "+" | "-" | "*" | "/" | "%" | "||" | "=" | "<>" | "<" | "<=" | ">" | ">=" | "and" | "or";

export type Expression =
  | { kind: "number"; text: string }
  | { kind: "text"; text: string }
  | { kind: "word"; word: "true" | "false" | "null" | "current_date" | "current_timestamp" }
  | { kind: "moment"; type: "date" | "timestamp"; text: string }
  | { kind: "reference"; dataset: Name | null; name: Name; at: number }
  | { kind: "unary"; op: "-" | "not"; value: Expression }
  | { kind: "binary"; op: BinaryOp; left: Expression; right: Expression }
  | { kind: "isNull"; value: Expression; isNegated: boolean }
  | { kind: "in"; value: Expression; list: Expression[]; isNegated: boolean }
  | { kind: "between"; value: Expression; low: Expression; high: Expression; isNegated: boolean }
  | { kind: "like"; value: Expression; pattern: Expression; isNegated: boolean; ignoresCase: boolean }
  | { kind: "case"; branches: { condition: Expression; result: Expression }[]; otherwise: Expression | null }
  | { kind: "cast"; value: Expression; type: CastType }
  | { kind: "part"; part: DatePart; value: Expression }
  | { kind: "truncate"; part: DatePart; value: Expression }
  | { kind: "call"; name: ScalarFunction; values: Expression[] }
  | Aggregate;

/** `value` is null for COUNT(*). */
export type Aggregate = {
  kind: "aggregate";
  name: AggregateFunction;
  isDistinct: boolean;
  value: Expression | null;
  at: number;
};

/** Functions of one row, with the least and the largest number of values. */
const SCALARS = {
  abs: [1, 1],
  ceil: [1, 1],
  coalesce: [1, 50],
  concat: [1, 50],
  exp: [1, 1],
  floor: [1, 1],
  greatest: [1, 50],
  least: [1, 50],
  left: [2, 2],
  length: [1, 1],
  ln: [1, 1],
  lower: [1, 1],
  ltrim: [1, 1],
  nullif: [2, 2],
  power: [2, 2],
  replace: [3, 3],
  right: [2, 2],
  round: [1, 2],
  rtrim: [1, 1],
  sign: [1, 1],
  sqrt: [1, 1],
  substring: [2, 3],
  trim: [1, 1],
  upper: [1, 1],
} as const;
export type ScalarFunction = keyof typeof SCALARS;

const AGGREGATES = [
  "sum",
  "count",
  "avg",
  "min",
  "max",
  "median",
  "stddev",
  "stddev_pop",
  "variance",
  "var_pop",
] as const;
export type AggregateFunction = (typeof AGGREGATES)[number];

/** Other spellings of the same functions and types. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ceiling: "ceil",
  char_length: "length",
  character_length: "length",
  pow: "power",
  substr: "substring",
  stddev_samp: "stddev",
  var_samp: "variance",
};
const TYPE_WORDS: Readonly<Record<string, CastType>> = {
  text: "text",
  varchar: "text",
  char: "text",
  string: "text",
  int: "integer",
  integer: "integer",
  bigint: "integer",
  smallint: "integer",
  decimal: "decimal",
  numeric: "decimal",
  float: "float",
  double: "float",
  real: "float",
  boolean: "boolean",
  bool: "boolean",
  date: "date",
  timestamp: "timestamp",
  datetime: "timestamp",
};
/** Words of the grammar, which are names only in quotes. */
const RESERVED = new Set(
  "and as between case cast distinct else end exists false from ilike in is like not null or over select then true union when where".split(
    " ",
  ),
);

/** Characters of an expression: some hundred lines of CASE. */
export const EXPRESSION_CHARS_MAX = 10_000;
/** Maximum number of tokens: a chain of operators nests as deep as it has parts. */
const TOKENS_MAX = 2_000;
/** Levels of nesting, which the parser and the printer follow by recursion. */
const DEPTH_MAX = 100;

/** An error of an expression, at an offset in its text. */
export class BadExpression extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message);
  }
}

/** Parses an expression. @throws BadExpression for everything outside of the grammar */
export function parseExpression(text: string): Expression {
  if (text.length > EXPRESSION_CHARS_MAX) {
    throw new BadExpression(`Expressions are limited to ${EXPRESSION_CHARS_MAX} characters.`, 0);
  }
  return new Parser(tokensOf(text)).whole();
}

/** Calls `visit` for a tree and all its parts, the outer ones first. A part whose visit returns false is not entered. */
export function walk(tree: Expression, visit: (part: Expression) => boolean | undefined): void {
  if (visit(tree) === false) return;
  for (const part of partsOf(tree)) walk(part, visit);
}

function partsOf(tree: Expression): Expression[] {
  switch (tree.kind) {
    case "unary":
    case "isNull":
    case "cast":
    case "part":
    case "truncate":
      return [tree.value];
    case "binary":
      return [tree.left, tree.right];
    case "in":
      return [tree.value, ...tree.list];
    case "between":
      return [tree.value, tree.low, tree.high];
    case "like":
      return [tree.value, tree.pattern];
    case "case":
      return [
        ...tree.branches.flatMap(({ condition, result }) => [condition, result]),
        ...(tree.otherwise ? [tree.otherwise] : []),
      ];
    case "call":
      return tree.values;
    case "aggregate":
      return tree.value ? [tree.value] : [];
    default:
      return [];
  }
}

type Token = { kind: "word" | "name" | "text" | "number" | "sign" | "end"; text: string; at: number };

const TOKEN =
  /(?<space>\s+)|(?<comment>--|\/\*|#)|(?<text>'(?:[^']|'')*')|(?<name>"(?:[^"]|"")+"|`(?:[^`]|``)+`)|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?<word>[\p{L}_][\p{L}\p{N}_]*)|(?<sign><>|!=|<=|>=|\|\||::|[-+*/%=<>(),.])/uy;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const groups = TOKEN.exec(text)?.groups;
    if (!groups) throw new BadExpression(unexpected(text, at), at);
    if (groups.comment !== undefined) throw new BadExpression("Comments are not allowed in expressions.", at);
    if (groups.space !== undefined) continue;
    tokens.push({ ...tokenOf(groups), at });
    if (tokens.length > TOKENS_MAX) throw new BadExpression("The expression is too long. Split it into fields.", at);
    if (tokens.at(-1)?.text.includes("\0")) throw new BadExpression("The character of code 0 is not allowed.", at);
  }
  return [...tokens, { kind: "end", text: "", at: text.length }];
}

function tokenOf({ text, name, number, word, sign }: Record<string, string | undefined>): Omit<Token, "at"> {
  if (text !== undefined) return { kind: "text", text: text.slice(1, -1).replaceAll("''", "'") };
  if (name !== undefined) {
    const quote = name.charAt(0);
    return { kind: "name", text: name.slice(1, -1).replaceAll(quote + quote, quote) };
  }
  if (number !== undefined) return { kind: "number", text: number };
  if (word !== undefined) return { kind: "word", text: word };
  return { kind: "sign", text: sign === "!=" ? "<>" : (sign ?? "") };
}

function unexpected(text: string, at: number): string {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (character === "'" || character === '"') return `The quote ${character} is not closed.`;
  return `Unexpected ${JSON.stringify(character)}.`;
}

const COMPARISONS: ReadonlySet<string> = new Set(["=", "<>", "<", "<=", ">", ">="]);

class Parser {
  private position = 0;
  private depth = 0;
  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Expression {
    const tree = this.expression();
    if (this.token.kind !== "end") throw this.fault();
    return tree;
  }

  private get token(): Token {
    return this.tokens[this.position] ?? { kind: "end", text: "", at: 0 };
  }

  private fault(): BadExpression {
    const { kind, text, at } = this.token;
    return new BadExpression(kind === "end" ? "The expression is incomplete." : `Unexpected “${text}”.`, at);
  }

  private isSign(text: string): boolean {
    return this.token.kind === "sign" && this.token.text === text;
  }

  private isWord(word: string): boolean {
    return this.token.kind === "word" && this.token.text.toLowerCase() === word;
  }

  private takeSign(text: string): boolean {
    if (!this.isSign(text)) return false;
    this.position += 1;
    return true;
  }

  private takeWord(word: string): boolean {
    if (!this.isWord(word)) return false;
    this.position += 1;
    return true;
  }

  private requireSign(text: string): void {
    if (!this.takeSign(text)) throw this.fault();
  }

  private requireWord(word: string): void {
    if (!this.takeWord(word)) throw this.fault();
  }

  private takeText(): string {
    const { kind, text } = this.token;
    if (kind !== "text") throw this.fault();
    this.position += 1;
    return text;
  }

  private expression(): Expression {
    this.depth += 1;
    if (this.depth > DEPTH_MAX) throw new BadExpression("The expression has too many levels.", this.token.at);
    let left = this.conjunction();
    while (this.takeWord("or")) left = { kind: "binary", op: "or", left, right: this.conjunction() };
    this.depth -= 1;
    return left;
  }

  private conjunction(): Expression {
    let left = this.negation();
    while (this.takeWord("and")) left = { kind: "binary", op: "and", left, right: this.negation() };
    return left;
  }

  private negation(): Expression {
    const { at } = this.token;
    let count = 0;
    while (this.takeWord("not")) count += 1;
    if (count > DEPTH_MAX) throw new BadExpression("The expression has too many levels.", at);
    const value = this.comparison();
    return count % 2 === 1 ? { kind: "unary", op: "not", value } : value;
  }

  private comparison(): Expression {
    const left = this.sum();
    if (this.token.kind === "sign" && COMPARISONS.has(this.token.text)) {
      const op = this.token.text as BinaryOp;
      this.position += 1;
      return { kind: "binary", op, left, right: this.sum() };
    }
    if (this.takeWord("is")) {
      const isNegated = this.takeWord("not");
      this.requireWord("null");
      return { kind: "isNull", value: left, isNegated };
    }
    const isNegated = this.takeWord("not");
    if (this.takeWord("in")) return { kind: "in", value: left, list: this.list(), isNegated };
    if (this.takeWord("between")) {
      const low = this.sum();
      this.requireWord("and");
      return { kind: "between", value: left, low, high: this.sum(), isNegated };
    }
    if (this.isWord("like") || this.isWord("ilike")) {
      const ignoresCase = this.isWord("ilike");
      this.position += 1;
      return { kind: "like", value: left, pattern: this.sum(), isNegated, ignoresCase };
    }
    if (isNegated) throw this.fault();
    return left;
  }

  private sum(): Expression {
    let left = this.product();
    for (;;) {
      const { kind, text } = this.token;
      if (kind !== "sign" || !(text === "+" || text === "-" || text === "||")) return left;
      this.position += 1;
      left = { kind: "binary", op: text, left, right: this.product() };
    }
  }

  private product(): Expression {
    let left = this.signed();
    for (;;) {
      const { kind, text } = this.token;
      if (kind !== "sign" || !(text === "*" || text === "/" || text === "%")) return left;
      this.position += 1;
      left = { kind: "binary", op: text, left, right: this.signed() };
    }
  }

  private signed(): Expression {
    let isNegative = false;
    while (this.isSign("-") || this.isSign("+")) {
      if (this.isSign("-")) isNegative = !isNegative;
      this.position += 1;
    }
    let value = this.primary();
    while (this.takeSign("::")) value = { kind: "cast", value, type: this.type() };
    return isNegative ? { kind: "unary", op: "-", value } : value;
  }

  private primary(): Expression {
    const { kind, text, at } = this.token;
    if (this.takeSign("(")) {
      const inner = this.expression();
      this.requireSign(")");
      return inner;
    }
    if (kind === "number") {
      this.position += 1;
      return { kind: "number", text };
    }
    if (kind === "text") return { kind: "text", text: this.takeText() };
    if (kind === "name") return this.reference();
    if (kind !== "word") throw this.fault();
    const word = text.toLowerCase();
    const next = this.tokens[this.position + 1];
    const isCall = next?.kind === "sign" && next.text === "(";
    if (word === "true" || word === "false" || word === "null") {
      this.position += 1;
      return { kind: "word", word };
    }
    if (word === "current_date" || word === "current_timestamp") {
      this.position += 1;
      if (this.takeSign("(")) this.requireSign(")");
      return { kind: "word", word };
    }
    if (word === "case") return this.cases();
    if ((word === "date" || word === "timestamp") && next?.kind === "text") {
      this.position += 1;
      return this.moment(word, at);
    }
    if (isCall) return this.call(word, at);
    if (RESERVED.has(word)) throw this.fault();
    return this.reference();
  }

  private moment(type: "date" | "timestamp", at: number): Expression {
    const text = this.takeText();
    const form = type === "date" ? /^\d{4}-\d\d-\d\d$/ : /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?$/;
    if (!form.test(text) || Number.isNaN(Date.parse(text))) {
      throw new BadExpression(`Use ${type === "date" ? "DATE '2026-05-31'" : "TIMESTAMP '2026-05-31 14:30:00'"}.`, at);
    }
    return { kind: "moment", type, text: text.replace("T", " ") };
  }

  private reference(): Expression {
    const { at } = this.token;
    const first = this.name();
    if (!this.takeSign(".")) return { kind: "reference", dataset: null, name: first, at };
    const name = this.name();
    if (this.isSign(".")) throw new BadExpression("Use dataset.field.", at);
    return { kind: "reference", dataset: first, name, at };
  }

  private name(): Name {
    const { kind, text } = this.token;
    if (kind !== "name" && kind !== "word") throw this.fault();
    this.position += 1;
    return { text, isQuoted: kind === "name" };
  }

  private list(): Expression[] {
    this.requireSign("(");
    const values = [this.expression()];
    while (this.takeSign(",")) values.push(this.expression());
    this.requireSign(")");
    return values;
  }

  private cases(): Expression {
    this.requireWord("case");
    const subject = this.isWord("when") ? null : this.expression();
    const branches: { condition: Expression; result: Expression }[] = [];
    while (this.takeWord("when")) {
      const right = this.expression();
      this.requireWord("then");
      const condition: Expression = subject ? { kind: "binary", op: "=", left: subject, right } : right;
      branches.push({ condition, result: this.expression() });
    }
    if (branches.length === 0) throw this.fault();
    const otherwise = this.takeWord("else") ? this.expression() : null;
    this.requireWord("end");
    return { kind: "case", branches, otherwise };
  }

  private type(): CastType {
    const { kind, text, at } = this.token;
    const word = text.toLowerCase();
    if (kind !== "word" || !Object.hasOwn(TYPE_WORDS, word)) {
      throw new BadExpression(`Unknown type. Use one of ${CAST_TYPES.join(", ")}.`, at);
    }
    this.position += 1;
    if (word === "double") this.takeWord("precision");
    // Lengths and digits have no effect on the values that a metric returns.
    if (this.takeSign("(")) {
      while (this.token.kind === "number" || this.isSign(",")) this.position += 1;
      this.requireSign(")");
    }
    return TYPE_WORDS[word] ?? "text";
  }

  private part(text: string, at: number): DatePart {
    const part = DATE_PARTS.find((each) => each === text.toLowerCase());
    if (!part) throw new BadExpression(`Unknown date part. Use one of ${DATE_PARTS.join(", ")}.`, at);
    return part;
  }

  private call(word: string, at: number): Expression {
    this.position += 2;
    const name = SYNONYMS[word] ?? word;
    const aggregate = AGGREGATES.find((each) => each === name);
    if (aggregate) return this.aggregate(aggregate, at);
    if (name === "cast") {
      const value = this.expression();
      this.requireWord("as");
      const type = this.type();
      this.requireSign(")");
      return { kind: "cast", value, type };
    }
    if (name === "extract" || name === "date_part" || name === "date_trunc") {
      const { text, at: partAt } = this.token;
      const part = this.part(text, partAt);
      this.position += 1;
      if (name === "extract") this.requireWord("from");
      else this.requireSign(",");
      const value = this.expression();
      this.requireSign(")");
      return { kind: name === "date_trunc" ? "truncate" : "part", part, value };
    }
    const part = DATE_PARTS.find((each) => each === name);
    if (part) {
      const value = this.expression();
      this.requireSign(")");
      return { kind: "part", part, value };
    }
    if (!Object.hasOwn(SCALARS, name)) throw new BadExpression(`The function ${word} is not supported.`, at);
    const scalar = name as ScalarFunction;
    this.position -= 1;
    const values = this.list();
    const [min, max] = SCALARS[scalar];
    if (values.length < min || values.length > max) {
      throw new BadExpression(`${word} takes ${min === max ? min : `${min} to ${max}`} values.`, at);
    }
    return { kind: "call", name: scalar, values };
  }

  private aggregate(name: AggregateFunction, at: number): Expression {
    if (name === "count" && this.takeSign("*")) {
      this.requireSign(")");
      return this.filtered({ kind: "aggregate", name, isDistinct: false, value: null, at });
    }
    const isDistinct = this.takeWord("distinct");
    const value = this.expression();
    this.requireSign(")");
    if (isDistinct && !["sum", "count", "avg", "min", "max"].includes(name)) {
      throw new BadExpression(`DISTINCT is not supported in ${name}.`, at);
    }
    walk(value, (part) => {
      if (part.kind === "aggregate") throw new BadExpression("An aggregate must not contain another one.", part.at);
      return undefined;
    });
    return this.filtered({ kind: "aggregate", name, isDistinct, value, at });
  }

  /** Turns FILTER (WHERE ...) into a CASE, which every database has. */
  private filtered(aggregate: Aggregate): Aggregate {
    if (this.isWord("over")) throw new BadExpression("Window functions are not supported.", this.token.at);
    if (!this.takeWord("filter")) return aggregate;
    this.requireSign("(");
    this.requireWord("where");
    const condition = this.expression();
    this.requireSign(")");
    const result = aggregate.value ?? { kind: "number", text: "1" };
    return { ...aggregate, value: { kind: "case", branches: [{ condition, result }], otherwise: null } };
  }
}

import type { SqlDialect } from "./dialects/registry.ts";
import { readSqlTokens, type SqlToken, wordOf } from "./lexer.ts";

type Params = unknown[] | Record<string, unknown>;
type Statement = { query: string; params?: Params };

/** A query that returns one row for each row that a write adds, changes or deletes. */
export type WrittenRows = Statement & {
  /** Whether its rows are those of one table that a condition selects. Otherwise it can be any query. */
  isOneTable: boolean;
};

/** A part of the statement that the query keeps: indexes of tokens, `to` exclusive. */
type Part = { from: number; to: number };
type Selection = { pieces: (string | Part)[]; isOneTable: boolean };

/** Comments that MySQL and MariaDB run, which the tokens omit. */
const RUN_COMMENT = /\/\*M?!/i;
const VERBS = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);
const CONDITION_ENDS = new Set(["RETURNING"]);
const ORDER_OR_LIMIT = new Set(["ORDER", "LIMIT"]);
const JOINS = new Set(["JOIN", "STRAIGHT_JOIN"]);
const QUERY_STARTS = new Set(["SELECT", "WITH", "VALUES", "TABLE", "FROM", "DEFAULT"]);
const AFTER_CONFLICT = new Set(["CONFLICT", "DUPLICATE"]);

/**
 * Returns the rows of a single UPDATE, DELETE or MERGE with a condition, or of an INSERT from a query. Parameters of
 * parts that it omits are left out, and the others numbered again.
 * @returns null for other statements, and where the text alone does not tell
 */
export function findWrittenRows({ query, params }: Statement, dialect: SqlDialect): WrittenRows | null {
  if (RUN_COMMENT.test(query)) return null;
  const tokens = readSqlTokens(query, dialect);
  while (tokens.at(-1)?.kind === "semicolon") tokens.pop();
  if (tokens.some(({ kind }) => kind === "semicolon")) return null;
  const selection = new StatementParts(tokens).select();
  return selection && build(query, params, tokens, selection);
}

/** The clauses of one statement; words in brackets belong to none. */
class StatementParts {
  readonly #tokens: readonly SqlToken[];
  readonly #words: readonly string[];

  constructor(tokens: readonly SqlToken[]) {
    this.#tokens = tokens;
    let depth = 0;
    this.#words = tokens.map((token) => {
      if (isSign(token, "(")) depth += 1;
      else if (isSign(token, ")")) depth -= 1;
      return depth > 0 ? "" : wordOf(token);
    });
  }

  select(): Selection | null {
    const verb = this.#words[0] === "WITH" ? this.#find(VERBS) : 0;
    const found = this.#selectAt(verb);
    return found && { ...found, pieces: [{ from: 0, to: verb }, ...found.pieces] };
  }

  #selectAt(verb: number): Selection | null {
    switch (this.#words[verb]) {
      case "DELETE":
        return this.#delete(verb);
      case "UPDATE":
        return this.#update(verb);
      case "INSERT":
        return this.#insert(verb);
      case "MERGE":
        return this.#merge(verb);
      default:
        return null;
    }
  }

  #delete(verb: number): Selection | null {
    if (this.#words[verb + 1] !== "FROM") return null;
    const where = this.#find("WHERE", verb);
    const using = this.#find("USING", verb, where);
    return this.#conditional({ from: verb + 2, to: Math.min(using, where) }, { from: using + 1, to: where }, where);
  }

  #update(verb: number): Selection | null {
    const set = this.#find("SET", verb);
    const where = this.#find("WHERE", set);
    let from = this.#find("FROM", set, where);
    // IS DISTINCT FROM is an operator.
    while (from < where && this.#words[from - 1] === "DISTINCT") from = this.#find("FROM", from, where);
    return this.#conditional({ from: verb + 1, to: set }, { from: from + 1, to: where }, where);
  }

  /** @param others further tables of the condition; empty for none */
  #conditional(table: Part, others: Part, where: number): Selection | null {
    const end = this.#find(CONDITION_ENDS, where);
    const isBounded = this.#find(ORDER_OR_LIMIT, where, end) < end;
    if (where >= end || isBounded || table.from >= table.to) return null;
    const hasOthers = others.from < others.to;
    const isJoin = this.#find(JOINS, table.from, table.to) < table.to || this.#hasComma(table);
    // Such forms of MySQL may change rows of each table.
    if (isJoin) return null;
    return {
      pieces: ["select 1 from", table, ...(hasOthers ? [",", others] : []), { from: where, to: end }],
      isOneTable: !hasOthers,
    };
  }

  #insert(verb: number): Selection | null {
    const query = this.#find(QUERY_STARTS, verb);
    const word = this.#words[query];
    if (word !== "SELECT" && !(word === "WITH" && verb === 0)) return null;
    let end = this.#find("RETURNING", query);
    for (let on = this.#find("ON", query, end); on < end; on = this.#find("ON", on, end)) {
      if (AFTER_CONFLICT.has(this.#words[on + 1] ?? "")) end = on;
    }
    return { pieces: [{ from: query, to: end }], isOneTable: false };
  }

  #merge(verb: number): Selection | null {
    const target = this.#words[verb + 1] === "INTO" ? verb + 2 : verb + 1;
    const using = this.#find("USING", verb);
    const on = this.#find("ON", using);
    const when = this.#find("WHEN", on);
    if (when >= this.#words.length || target >= using) return null;
    const rest = this.#words.slice(when);
    const has = (first: string, second: string) =>
      rest.some((word, index) => word === first && rest[index + 1] === second);
    if (has("BY", "SOURCE") || has("DO", "NOTHING")) return null;
    const [source, into] = [
      { from: using + 1, to: on },
      { from: target, to: using },
    ];
    const adds = has("NOT", "MATCHED");
    const changes = has("WHEN", "MATCHED");
    const pieces =
      adds && !changes
        ? ["select 1 from", source, "where not exists (select 1 from", into, "where", { from: on + 1, to: when }, ")"]
        : ["select 1 from", source, adds ? "left join" : "join", into, { from: on, to: when }];
    return { pieces, isOneTable: false };
  }

  /** Returns the index of the first such word after `from`; `to` if there is none. */
  #find(word: string | ReadonlySet<string>, from = 0, to = this.#words.length): number {
    const isFound = typeof word === "string" ? (each: string) => each === word : (each: string) => word.has(each);
    for (let index = from + 1; index < to; index += 1) if (isFound(this.#words[index] ?? "")) return index;
    return to;
  }

  #hasComma({ from, to }: Part): boolean {
    return this.#tokens.slice(from, to).some((token) => isSign(token, ","));
  }
}

function build(
  text: string,
  params: Params | undefined,
  tokens: readonly SqlToken[],
  { pieces, isOneTable }: Selection,
): WrittenRows | null {
  const textOf = ({ from, to }: Part) => text.slice(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0);
  const parts = pieces.filter((piece): piece is Part => typeof piece !== "string" && piece.from < piece.to);
  const write = (textOf: (part: Part) => string) =>
    pieces
      .filter((piece) => typeof piece === "string" || piece.from < piece.to)
      .map((piece) => (typeof piece === "string" ? piece : textOf(piece)))
      .join(" ");
  if (params === undefined) return { query: write(textOf), isOneTable };
  if (!Array.isArray(params)) {
    const names = new Set(parts.flatMap(({ from, to }) => tokens.slice(from, to).map((token) => bare(token.text))));
    const used = Object.entries(params).filter(([name]) => names.has(bare(name)));
    return { query: write(textOf), params: Object.fromEntries(used), isOneTable };
  }
  const placeholders = placeholdersIn(tokens);
  if (placeholders === null) return null;
  const kept: unknown[] = [];
  /** New number of each numbered parameter. */
  const numbers = new Map<number, number>();
  const query = write(({ from, to }) => {
    let written = "";
    let at = tokens[from]?.start ?? 0;
    for (const { token, number, end } of placeholders) {
      if (number === null || token < from || token >= to) continue;
      written += text.slice(at, tokens[token]?.start);
      const known = numbers.get(number) ?? numbers.size + 1;
      numbers.set(number, known);
      written += `$${known}`;
      at = end;
    }
    return written + text.slice(at, tokens[to - 1]?.end);
  });
  for (const number of numbers.keys()) kept.push(params[number - 1]);
  // In the order of the query, which may differ from the statement's.
  for (const { from, to } of parts) {
    for (const [index, { token }] of placeholders.filter(({ number }) => number === null).entries()) {
      if (token >= from && token < to && index < params.length) kept.push(params[index]);
    }
  }
  return { query, params: kept, isOneTable };
}

/** A placeholder at the index of its first token; `number` of `$1`, null for a `?`. `end` is an offset in the text. */
type Placeholder = { token: number; number: number | null; end: number };

/** Returns null if SQLite's `?1` is among them. Where placeholders are numbered, a `?` is an operator. */
function placeholdersIn(tokens: readonly SqlToken[]): Placeholder[] | null {
  const numbered: Placeholder[] = [];
  const unnamed: Placeholder[] = [];
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    const number = next?.kind === "number" && next.start === token.end ? next : null;
    if (isSign(token, "$") && number) numbered.push({ token: index, number: Number(number.text), end: number.end });
    if (!isSign(token, "?")) continue;
    if (number) return null;
    unnamed.push({ token: index, number: null, end: token.end });
  }
  return numbered.length > 0 ? numbered : unnamed;
}

/** Returns a name without the sign of a placeholder. */
function bare(name: string): string {
  return name.replace(/^[:@$]/, "");
}

function isSign(token: SqlToken | undefined, text: string): boolean {
  return token?.kind === "symbol" && token.text === text;
}

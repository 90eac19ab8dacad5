import { nameWords, SYNONYMS } from "./words";

/** The assistant's model of a database: tables, the types of their columns, and the keys between them. */

export type ColumnKind = "number" | "text" | "date" | "boolean" | "other";
export type Column = {
  name: string;
  type: string;
  kind: ColumnKind;
  nullable: boolean;
  isKey: boolean;
  /** Whether it holds keys, its own or another table's: not for sums or word searches. */
  isReference: boolean;
  /** Its name without the usual decorations of column names. */
  words: string[];
  /** Divisor that converts the column's numbers to the usual unit: 100 for cents. */
  unit: number;
  /** Whether its whole numbers are years. */
  isYear: boolean;
};
export type Table = {
  /** Unique in its database. */
  id: string;
  name: string;
  schema: string | null;
  words: string[];
  columns: Column[];
  rowEstimate: number | null;
  isView: boolean;
};
export type Edge = { from: Table; fromColumns: string[]; to: Table; toColumns: string[]; words: string[] };
/** One step along a foreign key. Up leads from the referencing row to the referenced one. */
export type Step = { edge: Edge; isUp: boolean; table: Table };

/** A table as the tool describe_entity returns it. */
export type Described = {
  name: string;
  schema?: string;
  kind?: string;
  rowEstimate?: number;
  columns?: { name: string; type: string; nullable?: boolean; primaryKey?: boolean }[];
  foreignKeys?: { columns: string[]; references: { schema?: string; name: string; columns: string[] } }[];
};

const DECORATION = new Set([
  "id",
  "at",
  "on",
  "is",
  "has",
  "cent",
  "flag",
  "fk",
  "dt",
  "ts",
  "num",
  "no",
  "datetim",
  "timestamp",
]);
/** Maximum number of columns read of a table. */
const COLUMNS_MAX = 300;

export class Schema {
  readonly tables: Table[];
  readonly edges: Edge[];

  constructor(described: readonly Described[]) {
    this.tables = described.map(toTable);
    this.edges = described.flatMap((each, i) => this.#declared(each, this.tables[i]));
    const declaring = new Set(this.edges.map(({ from }) => from));
    // A table that declares one key declares all of them.
    for (const table of this.tables) if (!declaring.has(table)) this.edges.push(...this.#guessed(table));
    for (const table of this.tables) if (table.isView) this.edges.push(...this.#repeated(table));
    for (const { from, fromColumns } of this.edges) {
      for (const column of from.columns) if (fromColumns.includes(column.name)) column.isReference = true;
    }
  }

  findTable(name: string, schema?: string | null): Table | null {
    const same = this.tables.filter((table) => table.name === name);
    return same.find((table) => table.schema === (schema ?? null)) ?? same[0] ?? null;
  }

  #declared({ foreignKeys }: Described, from: Table | undefined): Edge[] {
    return (foreignKeys ?? []).flatMap(({ columns, references }) => {
      const to = this.findTable(references.name, references.schema);
      if (!from || !to || columns.length === 0) return [];
      const keys = to.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
      const toColumns = references.columns.length === columns.length ? references.columns : keys;
      // A part of a key belongs to several rows, which a join would multiply.
      const isPart = keys.length > toColumns.length && toColumns.every((name) => keys.includes(name));
      if (isPart) return [];
      return toColumns.length === columns.length ? [toEdge(from, columns, to, toColumns)] : [];
    });
  }

  /** Guesses keys by name if none is declared: `customer_id` references `customers`. */
  #guessed(from: Table): Edge[] {
    return from.columns.flatMap((column) => {
      const base = /^(.+?)_?(?:id|fk|key|ref)$/i.exec(column.name)?.[1] ?? null;
      if (base === null || base === "_") return [];
      const words = nameWords(base);
      // `station_id` of stations is their own key, and does not reference `train_station`.
      if (words.join() === from.words.join()) return [];
      const to = this.tables
        .map((table) => ({ table, fit: keyFit(table, words, column.name) }))
        .filter(({ fit }) => fit > 0)
        .sort((a, b) => b.fit - a.fit || a.table.id.localeCompare(b.table.id))[0]?.table;
      const key = to && singleKey(to, column.name);
      return to && key && !(to === from && key === column.name) ? [toEdge(from, [column.name], to, [key])] : [];
    });
  }

  /** Guesses the table whose rows a view repeats: `product_sales` has the `id` and the `name` of products. */
  #repeated(from: Table): Edge[] {
    const has = ({ name }: Column) => from.columns.some((column) => column.name === name);
    const to = this.tables
      .filter(({ isView, words }) => !isView && words.every((word, i) => word === from.words[i]))
      .sort((a, b) => b.words.length - a.words.length)[0];
    const [key, ...others] = to?.columns.filter(({ isKey }) => isKey) ?? [];
    if (!to || !key || others.length > 0 || this.edges.some((edge) => edge.from === from && edge.to === to)) return [];
    const names = displayColumns(to).filter((column) => column !== key);
    return names.length > 0 && [key, ...names].every(has) ? [toEdge(from, [key.name], to, [key.name])] : [];
  }

  /**
   * Returns the shortest path from one table to another, or null. Up is shorter than down, since it multiplies no rows.
   * @param hints stems of the question: a key whose name says more than its table's is used if the question contains
   *   that word
   */
  path(from: Table, to: Table, hints: ReadonlySet<string> = new Set()): Step[] | null {
    type Way = { table: Table; steps: Step[]; cost: number };
    const open: Way[] = [{ table: from, steps: [], cost: 0 }];
    const done = new Set<Table>();
    while (open.length > 0) {
      open.sort((a, b) => a.cost - b.cost);
      const way = open.shift() as Way;
      if (way.table === to) return way.steps;
      if (done.has(way.table)) continue;
      done.add(way.table);
      if (way.steps.length === PATH_MAX) continue;
      for (const edge of this.edges) {
        const extra = edge.words.filter((word) => !edge.to.words.includes(word));
        const penalty = extra.length === 0 ? 0 : extra.every((word) => hints.has(word)) ? -0.4 : 0.3;
        if (edge.from === way.table) {
          open.push({
            table: edge.to,
            steps: [...way.steps, { edge, isUp: true, table: edge.to }],
            cost: way.cost + 1 + penalty,
          });
        } else if (edge.to === way.table) {
          open.push({
            table: edge.from,
            steps: [...way.steps, { edge, isUp: false, table: edge.from }],
            cost: way.cost + 3 + penalty,
          });
        }
      }
    }
    return null;
  }

  /** Whether each row of `from` has at most one of `to`. */
  isAbove(from: Table, to: Table): boolean {
    return this.path(from, to)?.every(({ isUp }) => isUp) ?? false;
  }
}

const PATH_MAX = 5;

function keyFit(table: Table, words: readonly string[], column: string): number {
  if (!singleKey(table, column)) return 0;
  if (table.words.join() === words.join()) return 4;
  // home_branch_id references branches, seller_user_id references users.
  if (words.slice(-table.words.length).join() === table.words.join()) return 2;
  // order_id references shop_orders.
  if (words.length > 0 && table.words.slice(-words.length).join() === words.join()) return 1;
  return 0;
}

function singleKey(table: Table, column: string): string | null {
  const keys = table.columns.filter(({ isKey }) => isKey);
  if (keys.length === 1) return keys[0]?.name ?? null;
  if (keys.length > 1) return null;
  return table.columns.find(({ name }) => name === "id" || name === "_id" || name === column)?.name ?? null;
}

function toEdge(from: Table, fromColumns: string[], to: Table, toColumns: string[]): Edge {
  return {
    from,
    fromColumns,
    to,
    toColumns,
    words: fromColumns.flatMap(nameWords).filter((word) => !DECORATION.has(word)),
  };
}

function toTable({ name, schema, kind: tableKind, columns, rowEstimate }: Described): Table {
  const words = nameWords(name);
  return {
    id: schema ? `${schema}.${name}` : name,
    name,
    schema: schema ?? null,
    words,
    rowEstimate: rowEstimate ?? null,
    isView: tableKind === "view",
    columns: (columns ?? []).slice(0, COLUMNS_MAX).map((column) => {
      const all = nameWords(column.name);
      const plain = all.filter((word) => !DECORATION.has(word));
      const kind = kindOf(column.type, all);
      return {
        name: column.name,
        type: column.type,
        kind,
        nullable: column.nullable ?? true,
        isKey: column.primaryKey ?? false,
        isReference:
          (column.primaryKey ?? false) || /(?:^|_)u?u?id$/i.test(column.name) || /[a-z]Id$/.test(column.name),
        words: plain.length > 0 ? plain : all,
        unit: kind === "number" && /(?:^|_)cents?$|Cents$/.test(column.name) ? 100 : 1,
        isYear: kind === "number" && all.includes("year"),
      };
    }),
  };
}

function kindOf(type: string, words: readonly string[]): ColumnKind {
  const lower = type.toLowerCase().replace(/^(?:nullable|lowcardinality)\((.*)\)$/, "$1");
  if (/^bool|tinyint\(1\)/.test(lower)) return "boolean";
  if (/date|timestamp|^time\b/.test(lower)) return "date";
  if (/int|numeric|decimal|float|double|real|number|money|serial|long/.test(lower) && !/interval|point/.test(lower)) {
    return ["is", "has"].includes(words[0] ?? "") ? "boolean" : "number";
  }
  if (/char|text|string|enum|uuid|^name$|clob/.test(lower)) {
    // SQLite stores times as text.
    return ["at", "on", "date"].includes(words.at(-1) ?? "") && words.length > 1 ? "date" : "text";
  }
  return lower === "" ? "text" : "other";
}

const DISPLAY = ["name", "full name", "titl", "subject", "label", "display name", "code", "sku", "email", "slug"];

/** Returns the columns that identify a row for people. */
export function displayColumns(table: Table): Column[] {
  const named = (words: string) =>
    table.columns.find((column) => column.words.join(" ") === words && !column.isReference);
  for (const words of DISPLAY.slice(0, 2)) {
    const column = named(words);
    if (column) return [column];
  }
  const parts = ["first name", "last name"].flatMap((words) => named(words) ?? []);
  if (parts.length === 2) return parts;
  const own = table.columns.find(
    ({ words, kind }) =>
      kind === "text" && words.length === table.words.length + 1 && ["name", "titl"].includes(words.at(-1) ?? ""),
  );
  if (own) return [own];
  for (const words of DISPLAY.slice(2)) {
    const column = named(words);
    if (column) return [column];
  }
  const key = table.columns.filter(({ isKey }) => isKey);
  return key.length > 0 ? key : table.columns.slice(0, 1);
}

/** Returns the column to sum, preferably money. Null if the table has no numbers. */
export function mainMeasure(table: Table): Column | null {
  const numbers = table.columns.filter(({ kind, isReference, isYear }) => kind === "number" && !isReference && !isYear);
  const rank = ({ words }: Column) => {
    const place = MEASURES.findIndex((word) => words.includes(word));
    return place < 0 ? MEASURES.length : place;
  };
  return numbers.sort((a, b) => rank(a) - rank(b))[0] ?? null;
}
const MEASURES = [
  "total",
  "amount",
  "revenu",
  "valu",
  "pric",
  "price",
  "sale",
  "salari",
  "wage",
  "cost",
  "fee",
  "balanc",
  "score",
  "rat",
  "quantiti",
];

/** Returns the date of a row's creation. Null if the table has no dates. */
function mainDate(table: Table): Column | null {
  const dates = table.columns.filter(({ kind }) => kind === "date");
  const rank = ({ words, nullable }: Column) => {
    const place = DATES.findIndex((word) => words.includes(word));
    return (nullable ? 100 : 0) + (place < 0 ? 20 : place);
  };
  return dates.sort((a, b) => rank(a) - rank(b))[0] ?? null;
}
const DATES = [
  "creat",
  "plac",
  "order",
  "occur",
  "purchas",
  "borrow",
  "join",
  "issu",
  "regist",
  "start",
  "open",
  "post",
  "date",
  "time",
];
/** Whether a date is that of a later event than the row's creation, or of one before it. */
export function isLateDate({ words }: Column): boolean {
  return words.some((word) => /^(?:birth|delet|due|end|expir|modifi|updat)/.test(word));
}

/** Returns the likeliest date of a row's creation, preferably not one of a later event. */
export function eventDate(table: Table): Column | null {
  const column = mainDate({
    ...table,
    columns: table.columns.filter((each) => !isLateDate(each)),
  });
  return column ?? mainDate(table);
}

/** Returns how well some words name a column or table, from 0 (not at all) to 1 (the full name). */
export function fitOf(words: readonly string[], name: readonly string[]): number {
  const own = name.filter((word) => !UNITS.has(word) || name.length === 1);
  if (words.join() === name.join()) return 1;
  if (words.join() === own.join()) return 0.98;
  if (words.length === 1) {
    const [word = ""] = words;
    if (own.at(-1) === word) return 0.8;
    if (own.includes(word)) return 0.7;
    const others = SYNONYMS.get(word) ?? [];
    const place = others.findIndex((other) => own.length === 1 && own[0] === other);
    if (place >= 0) return 0.66 - place * 0.02;
    const part = others.findIndex((other) => own.includes(other));
    return part >= 0 ? 0.55 - part * 0.02 : 0;
  }
  const matched = words.filter(
    (word) => name.includes(word) || (SYNONYMS.get(word) ?? []).some((other) => name.includes(other)),
  );
  if (matched.length === words.length) return 0.75 + 0.2 * Math.min(1, words.length / Math.max(1, own.length)) - 0.05;
  return 0;
}
const UNITS = new Set(["minut", "second", "ms", "hour", "day", "cent", "eur", "usd", "kg", "km", "percent", "pct"]);

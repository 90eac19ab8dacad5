import { AppError } from "@/lib/http/errors";
import { sqlTokens } from "./sql-marks";
import type { Typed } from "./variable-types";

/** Gathers the values of one statement. */
type Binder = {
  /** Takes a value, and gives the text that stands for it. */
  add: (name: string, value: Typed) => string;
  params: () => unknown[] | Record<string, unknown> | undefined;
};
/** How one engine takes values beside the text. */
type Engine = {
  /** Symbols that begin a placeholder of the engine's own. */
  own?: RegExp;
  begin: () => Binder;
};
/** What a value looks like among placeholders. */
type Wrap = (value: Typed, placeholder: string) => string;

const INT32_MAX = 2 ** 31 - 1;

/**
 * A variable means what the same literal would: a whole number is an integer and a text has no type of its own where
 * the engine has such texts. So types are named only where the engine would guess differently.
 */
const ENGINES: Readonly<Record<string, Engine | undefined>> = {
  postgres: numbered({ own: /^[$]$/, wrap: postgresCast }),
  duckdb: numbered({
    own: /^[$?]$/,
    wrap: (value, placeholder) => (value.type === "date" ? cast(placeholder, dateType(value.value)) : placeholder),
  }),
  mysql: positional({
    own: /^[?]$/,
    wrap: (value, placeholder) => {
      if (value.type !== "date") return placeholder;
      return cast(placeholder, isDay(value.value) ? "DATE" : "DATETIME(6)");
    },
    // MySQL's times have no zone; ours are UTC (docs/api.md, Common rules).
    toParam: (value) => (value.type === "date" && !isDay(value.value) ? utcText(value.value) : plain(value)),
  }),
  sqlite: positional({
    own: /^(?:[?]$|[:@$#])/,
    wrap: (_, placeholder) => placeholder,
    // SQLite has no booleans: true is 1.
    toParam: (value) => (value.type === "boolean" ? Number(value.value) : plain(value)),
  }),
  clickhouse: { begin: beginClickHouse },
  mongodb: { begin: beginMongo },
};

/**
 * Begins a statement on an engine.
 * @throws AppError invalid_request for an engine that takes no variables, and for a text with placeholders of the
 *   engine's own: they and the variables would get each other's values
 */
export function beginBinding(type: string, content: string): Binder {
  const engine = ENGINES[type];
  if (!engine) {
    throw new AppError("invalid_request", `Consoles on ${type} take no variables. Write the values into the text.`);
  }
  const { own } = engine;
  const token = own && sqlTokens(content, type).find(({ kind, text }) => kind === "symbol" && own.test(text));
  if (token) {
    throw new AppError("invalid_request", `Write {{name}} for every value: the console also holds “${token.text}”.`);
  }
  return engine.begin();
}

/** `$1`, `$2` ...: a variable that stands in several places has one number. */
function numbered({ own, wrap }: { own: RegExp; wrap: Wrap }): Engine {
  return {
    own,
    begin() {
      const numbers = new Map<string, number>();
      const params: unknown[] = [];
      return {
        add(name, value) {
          let number = numbers.get(name);
          if (number === undefined) {
            number = params.push(plain(value));
            numbers.set(name, number);
          }
          return wrap(value, `$${number}`);
        },
        params: () => params,
      };
    },
  };
}

/** `?` in every place. */
function positional(rules: { own: RegExp; wrap: Wrap; toParam: (value: Typed) => unknown }): Engine {
  return {
    own: rules.own,
    begin() {
      const params: unknown[] = [];
      return {
        add(_, value) {
          params.push(rules.toParam(value));
          return rules.wrap(value, "?");
        },
        params: () => params,
      };
    },
  };
}

/** `{name:Type}`, which is ClickHouse's own form; its type has to be told. */
function beginClickHouse(): Binder {
  const params: Record<string, unknown> = {};
  return {
    add(name, value) {
      params[name] = value.type === "date" && !isDay(value.value) ? utcText(value.value) : plain(value);
      return `{${name}:${clickHouseType(value)}}`;
    },
    params: () => params,
  };
}

/**
 * MongoDB's shell text is read by our own parser, which knows literals and no placeholders. So a value is written as a
 * literal that this parser reads back to exactly this value: JSON, which no text can leave.
 */
function beginMongo(): Binder {
  return {
    add: (_, value) =>
      value.type === "date" ? `ISODate(${JSON.stringify(value.value)})` : JSON.stringify(plain(value)),
    params: () => undefined,
  };
}

function plain(value: Typed): unknown {
  return value.type === "null" ? null : value.value;
}

function cast(placeholder: string, type: string): string {
  return `CAST(${placeholder} AS ${type})`;
}

function postgresCast(value: Typed, placeholder: string): string {
  if (value.type === "number") return cast(placeholder, postgresNumber(value.value));
  if (value.type === "boolean") return cast(placeholder, "boolean");
  return value.type === "date" ? cast(placeholder, dateType(value.value)) : placeholder;
}

function postgresNumber(value: number): string {
  if (!Number.isSafeInteger(value)) return "numeric";
  return Math.abs(value) <= INT32_MAX ? "integer" : "bigint";
}

function clickHouseType(value: Typed): string {
  switch (value.type) {
    case "null":
      return "Nullable(String)";
    case "text":
      return "String";
    case "number":
      return Number.isSafeInteger(value.value) ? "Int64" : "Float64";
    case "boolean":
      return "Bool";
    case "date":
      return isDay(value.value) ? "Date32" : "DateTime64(6, 'UTC')";
  }
}

function dateType(text: string): string {
  if (isDay(text)) return "date";
  return hasZone(text) ? "timestamptz" : "timestamp";
}

function isDay(text: string): boolean {
  return text.length === "2026-05-31".length;
}

function hasZone(text: string): boolean {
  return /(?:Z|[+-]\d\d:?\d\d)$/.test(text);
}

function utcText(text: string): string {
  const date = new Date(hasZone(text) ? text : `${text}Z`);
  return date.toISOString().replace("T", " ").replace("Z", "");
}

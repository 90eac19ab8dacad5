import type { Driver, Statement } from "@/lib/connections/data-source";
import type { VariableBinder } from "@/lib/connections/variables";
import { AppError } from "@/lib/http/errors";
import { type ConditionKind, toSqlCondition } from "@/lib/sql/conditions";
import type { SqlDialect } from "@/lib/sql/dialects";
import { quoteSqlName, toSqlPath } from "@/lib/sql/names";
import { toColumnKind } from "@/lib/tabular/column-kind";
import type { Entity, EntityColumn, Field, WireValue } from "@/lib/tabular/fields";
import type { TableFilter, TableRowsBody } from "./schema";
import { readCursor, writeCount, writeCursor } from "./table-cursor";

/*
 * What is asked of a table, as a statement for its database. Names are those that the database lists, quoted as it
 * quotes; values are bound as its driver binds them.
 */

/** Digits of the decimals that whole numbers beyond a float's are compared as. */
const DECIMAL_DIGITS = 38;

type Table = {
  dialect: SqlDialect;
  name: string;
  columns: EntityColumn[];
  quote: (name: string) => string;
  bind: () => VariableBinder;
};

export type TablePage = {
  statement: Statement;
  /** What names the page behind this one. @param rowCount rows of this page, of which `last` is the last */
  toNext: (last: Record<string, WireValue>, rowCount: number, fields: readonly Field[]) => string | null;
};

/**
 * The statement of one page. It asks for one row more than the page has, which says whether there is another.
 * @throws AppError `invalid_request` for a column that the table does not have, a value that it is not compared with, a
 *   page of another question, or a driver without tables or collections
 */
export function toTablePage(driver: Driver, entity: Entity, body: Omit<TableRowsBody, "table">): TablePage {
  const table = toTable(driver, entity);
  const binder = table.bind();
  const order = toOrder(table, body.sort);
  const isKeyed = order.some(({ isKey }) => isKey);
  const after =
    body.after === undefined
      ? null
      : readCursor(body.after, (cursor) =>
          isKeyed ? "values" in cursor && cursor.values.length === order.length : "skip" in cursor,
        );
  const conditions = toConditions(table, body.filters, binder);
  if (after && "values" in after) conditions.push(toBehind(order, after.values, table, binder));
  const skipped = after && "skip" in after ? after.skip : 0;
  const names = table.columns.map(({ name }) => table.quote(name)).join(", ");
  const ordered = order.flatMap(({ column, descending }) => {
    const written = table.quote(column.name);
    const direction = descending ? " desc" : "";
    // Said in words that all databases know, and left out where an index can then be used.
    return column.nullable
      ? [`case when ${written} is null then 1 else 0 end`, `${written}${direction}`]
      : `${written}${direction}`;
  });
  const query = [
    `select ${names} from ${table.name}`,
    conditions.length > 0 ? ` where ${conditions.join(" and ")}` : "",
    ordered.length > 0 ? ` order by ${ordered.join(", ")}` : "",
    toLimit(body.limit + 1, skipped, table.dialect),
  ].join("");
  return {
    statement: withParams(query, binder),
    toNext: (last, rowCount) => {
      if (isKeyed) return writeCursor({ values: order.map(({ column }) => toScalar(last[column.name])) });
      return writeCount(skipped + rowCount);
    },
  };
}

/**
 * The statement that counts the rows which fit all filters.
 * @throws AppError as `toTablePage`
 */
export function toTableCount(driver: Driver, entity: Entity, filters: TableRowsBody["filters"]): Statement {
  const table = toTable(driver, entity);
  const binder = table.bind();
  const conditions = toConditions(table, filters, binder);
  const where = conditions.length > 0 ? ` where ${conditions.join(" and ")}` : "";
  return withParams(`select count(*) as ${table.quote("count")} from ${table.name}${where}`, binder);
}

/** What orders rows is no list and no object. */
function toScalar(value: WireValue | undefined): string | number | boolean | null {
  return typeof value === "object" ? null : (value ?? null);
}

function withParams(query: string, binder: VariableBinder): Statement {
  const params = binder.params();
  const isEmpty = params === undefined || (Array.isArray(params) ? params : Object.keys(params)).length === 0;
  return isEmpty ? { query } : { query, params };
}

function toTable({ dialect, variables, label }: Driver, { schema, name, columns = [] }: Entity): Table {
  if (!dialect || !variables) {
    throw new AppError("invalid_request", `The rows of ${label} are read in its own language. Open a console on it.`);
  }
  return {
    dialect,
    columns,
    name: toSqlPath([schema, name], dialect),
    quote: (each) => quoteSqlName(each, dialect),
    bind: () => variables.begin(),
  };
}

function columnOf({ columns }: Table, name: string, path: string): EntityColumn {
  const column = columns.find((each) => each.name === name);
  if (column) return column;
  throw new AppError("invalid_request", `The table has no column ${name}.`, {
    details: [{ path, message: "No column of the table." }],
  });
}

function toConditions(table: Table, filters: TableRowsBody["filters"], binder: VariableBinder): string[] {
  return filters.map((filter, i) => {
    checkNull(filter, i);
    const column = columnOf(table, filter.column, `filters.${i}.column`);
    const kind = toKind(column);
    const place = { column: table.quote(filter.column), kind, dialect: table.dialect };
    let count = 0;
    return toSqlCondition(filter, place, (text, as) => {
      count += 1;
      return bindAs(text, as, column, table.dialect, binder, `f${i}_${count}`);
    });
  });
}

/** @throws AppError `invalid_request` */
export function checkNull(filter: TableFilter, at: number): void {
  if (filter.op === "any" || filter.value !== null || filter.op === "is" || filter.op === "not") return;
  throw new AppError("invalid_request", "Nothing is larger or smaller than null.", {
    details: [{ path: `filters.${at}.value`, message: "Null goes with is, not and any." }],
  });
}

type OrderBy = { column: EntityColumn; descending: boolean; isKey: boolean };

/** What was asked for, and the key behind it; without a key, or with one that cannot be compared, what was asked for. */
function toOrder(table: Table, sort: TableRowsBody["sort"]): OrderBy[] {
  const asked = sort.map(
    ({ column, descending }, i): OrderBy => ({
      column: columnOf(table, column, `sort.${i}.column`),
      descending,
      isKey: false,
    }),
  );
  const key = table.columns.filter(({ primaryKey }) => primaryKey);
  const all = [...asked.map(({ column }) => column), ...key];
  if (key.length === 0 || all.some((column) => toKind(column) === "other")) return asked;
  const isAsked = (name: string) => asked.some(({ column }) => column.name === name);
  const added = key.filter(({ name }) => !isAsked(name));
  return [
    ...asked.map((each) => ({ ...each, isKey: each.column.primaryKey })),
    ...added.map((column) => ({ column, descending: false, isKey: true })),
  ];
}

/** True for the rows behind one in the order: equal so far, and then behind, for each column in turn. */
function toBehind(order: OrderBy[], values: WireValue[], table: Table, binder: VariableBinder): string {
  const { dialect } = table;
  const write = (i: number, value: WireValue, { column }: OrderBy) =>
    bindAs(typeof value === "string" ? value : String(value), toKind(column), column, dialect, binder, `k${i}`);
  const steps = order.flatMap((each, i) => {
    const equal = order.slice(0, i).map((before, at) => {
      const name = table.quote(before.column.name);
      const value = values[at] ?? null;
      return value === null ? `${name} is null` : `${name} = ${write(at, value, before)}`;
    });
    const value = values[i] ?? null;
    // Rows without a value stand last: nothing is behind them but others of them.
    if (value === null) return [];
    const name = table.quote(each.column.name);
    const further = `${name} ${each.descending ? "<" : ">"} ${write(i, value, each)}`;
    const behind = each.column.nullable ? `(${further} or ${name} is null)` : further;
    return `(${[...equal, behind].join(" and ")})`;
  });
  return steps.length === 0 ? "1 = 0" : `(${steps.join(" or ")})`;
}

function toKind({ type }: EntityColumn): ConditionKind {
  switch (toColumnKind(type)) {
    case "number":
      return "number";
    case "text":
      return "text";
    case "boolean":
      return "boolean";
    case "time":
      if (/^(nullable\()?date(32)?\)?$/i.test(type)) return "date";
      return /timestamp|datetime/i.test(type) ? "time" : "other";
    default:
      return "other";
  }
}

/** A value beside the statement, and what stands for it there: exact, where a float would not be. */
function bindAs(
  value: string,
  kind: ConditionKind,
  column: EntityColumn,
  dialect: SqlDialect,
  binder: VariableBinder,
  name: string,
): string {
  if (kind === "number") {
    const number = Number(value);
    if (value.trim() === "" || !Number.isFinite(number)) throw badValue(column, "a number");
    const isExact = /e/i.test(value) || (Number.isSafeInteger(number) && String(number) === value);
    if (isExact) return binder.add(name, { type: "number", value: number });
    const scale = /^-?\d+$/.test(value) ? 0 : Math.min((value.split(".")[1] ?? "").length, DECIMAL_DIGITS - 1);
    return `cast(${binder.add(name, { type: "text", value })} as decimal(${DECIMAL_DIGITS}, ${scale}))`;
  }
  if (kind === "boolean") {
    if (!/^(true|false)$/i.test(value)) throw badValue(column, "true or false");
    return binder.add(name, { type: "boolean", value: /^true$/i.test(value) });
  }
  if (kind === "date" || kind === "time") return bindTime(value, kind, column, dialect, binder, name);
  return binder.add(name, { type: "text", value });
}

/** Times go as texts, with all their digits, and are told what they are where the database does not guess it. */
function bindTime(
  value: string,
  kind: "date" | "time",
  column: EntityColumn,
  dialect: SqlDialect,
  binder: VariableBinder,
  name: string,
): string {
  if (!/^\d{4,}-\d\d-\d\d/.test(value)) throw badValue(column, "a time such as 2026-10-23 18:00");
  const hasZone = /tz|time zone/i.test(column.type);
  const plain = value.replace("T", " ").replace(/(?:Z|\+00:00)$/, "");
  const add = (text: string) => binder.add(name, { type: "text", value: text });
  if (dialect === "sqlite") return add(value);
  if (kind === "date") return `cast(${add(plain.slice(0, 10))} as date)`;
  if (dialect === "mysql") return `cast(${add(plain)} as datetime(6))`;
  if (dialect === "clickhouse") return `toDateTime64(${add(plain)}, 9, 'UTC')`;
  if (dialect === "trino")
    return `cast(${add(hasZone ? `${plain} UTC` : plain)} as timestamp(6)${hasZone ? " with time zone" : ""})`;
  return `cast(${add(hasZone ? `${plain}+00` : plain)} as ${hasZone ? "timestamptz" : "timestamp"})`;
}

export function badValue({ name, type }: Pick<EntityColumn, "name" | "type">, wanted: string): AppError {
  return new AppError("invalid_request", `The column ${name} of the type ${type} is compared with ${wanted}.`);
}

function toLimit(rows: number, skipped: number, dialect: SqlDialect): string {
  if (skipped === 0) return ` limit ${rows}`;
  return dialect === "trino" ? ` offset ${skipped} limit ${rows}` : ` limit ${rows} offset ${skipped}`;
}

import { toSqlCondition } from "@/lib/base/sql/conditions";
import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { quoteSqlName, toSqlPath } from "@/lib/base/sql/names";
import { toColumnKind } from "@/lib/base/values/column-kind";
import type { Entity, EntityColumn, Field, WireValue } from "@/lib/base/values/fields";
import type { Bind, TableValues } from "@/lib/features/connections/column-values";
import type { Driver, Statement } from "@/lib/features/connections/data-source";
import type { VariableBinder } from "@/lib/features/connections/variables";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import type { TableFilter, TableRowsBody } from "./schema";
import { readCursor, writeCount } from "./table-cursor";
import { RowOrder, type SortColumn } from "./table-order";

/*
 * Builds the statements for a table. Names are those that the database lists, quoted in its dialect; values are bound
 * as its driver binds them.
 */

export type Table = {
  dialect: SqlDialect;
  values: TableValues;
  name: string;
  columns: EntityColumn[];
  byName: ReadonlyMap<string, EntityColumn>;
  quote: (name: string) => string;
  bind: () => VariableBinder;
};

type Row = Record<string, WireValue>;

export type TablePage = {
  statement: Statement;
  /** Extra columns after the table's, from which the next cursor is built. Not shown. */
  hidden: string[];
  /** False if the database may return the rows of equal values in a different order each time. */
  isStable: boolean;
  /** True if the page starts after a row whose values are read from it again: without rows, that row may be deleted. */
  needsRow: boolean;
  /** Returns the cursor of the next page; null if its rows cannot be distinguished or counted further. */
  toNext: (rows: readonly Row[], fields: readonly Field[]) => string | null;
};

/**
 * Returns the statement of one page. It requests one row more than the page has, which shows whether another follows.
 * @throws AppError `invalid_request` for an unknown column, a value that cannot be compared with it, a column without
 *   an order, a cursor of another request, or a driver without tables or collections
 */
export function toTablePage(driver: Driver, entity: Entity, body: Omit<TableRowsBody, "table">): TablePage {
  const table = toTable(driver, entity);
  if (body.exact) throw invalidInput("exact", "Only fields of collections have an Extended JSON text.");
  const binder = table.bind();
  const { quote, values } = table;
  const sort = body.sort.map((each, i) => toSortColumn(table, each, `sort.${i}.column`));
  const order = RowOrder.of(entity, { sort, values, quote });
  const after =
    body.after === undefined
      ? null
      : readCursor(body.after, (cursor) => "skip" in cursor || order?.fits(cursor) === true);
  const conditions = toConditions(table, body.filters, binder);
  const behind = after && "order" in after ? after : null;
  if (behind && order) conditions.push(order.behind(behind, toBind(binder, "k"), table.name));
  const skipped = after && "skip" in after ? after.skip : (behind?.equal ?? 0);
  const count = after && "skip" in after ? after.skip : (behind?.before ?? 0);
  const names = [...table.columns.map(({ name }) => quote(name)), ...(order?.columns(quote) ?? [])];
  const sorted = order?.sql() ?? sort.map((each) => toPlainOrder(table, each)).join(", ");
  const query = [
    `select ${names.join(", ")} from ${table.name}`,
    conditions.length > 0 ? ` where ${conditions.join(" and ")}` : "",
    sorted === "" ? "" : ` order by ${sorted}`,
    DIALECTS[table.dialect].toPage(body.limit + 1, skipped),
  ].join("");
  return {
    statement: { ...withParams(query, binder), ...(values.orderBytes && { orderBytes: values.orderBytes }) },
    hidden: order?.aliases ?? [],
    isStable: order !== null,
    needsRow: behind?.order.includes(true) === true,
    toNext: (rows) => (order ? order.next(rows, { cursor: behind, count }) : writeCount(count + rows.length)),
  };
}

/** @throws AppError `invalid_request` */
function toSortColumn(table: Table, { column, descending }: TableRowsBody["sort"][number], path: string): SortColumn {
  const found = columnOf(table, column, path);
  if (table.values.of(found, table.quote(column)).order !== null) return { column: found, descending };
  throw new AppError("invalid_request", `Can't sort by ${column}: its type ${found.type} has no order.`, {
    details: [{ path, message: "Choose a column whose type has an order." }],
  });
}

/** Returns the order for rows that nothing distinguishes. */
function toPlainOrder(table: Table, { column, descending }: SortColumn): string {
  const { order, isNull } = table.values.of(column, table.quote(column.name));
  const { nullsLast } = table.values;
  const nulls = column.nullable && nullsLast === null ? [`case when ${isNull} then 1 else 0 end`] : [];
  const parts = (order ?? []).map(({ value }, index, all) => {
    const direction = descending && index === all.length - 1 ? " desc" : "";
    return `${value}${direction}${column.nullable ? (nullsLast ?? "") : ""}`;
  });
  return [...nulls, ...parts].join(", ");
}

/**
 * Returns the statement that counts the rows matching all filters.
 * @throws AppError as `toTablePage`
 */
export function toTableCount(driver: Driver, entity: Entity, filters: TableRowsBody["filters"]): Statement {
  const table = toTable(driver, entity);
  const binder = table.bind();
  const conditions = toConditions(table, filters, binder);
  const where = conditions.length > 0 ? ` where ${conditions.join(" and ")}` : "";
  return withParams(`select count(*) as ${table.quote("count")} from ${table.name}${where}`, binder);
}

export function withParams(query: string, binder: VariableBinder): Statement {
  const params = binder.params();
  const isEmpty = params === undefined || (Array.isArray(params) ? params : Object.keys(params)).length === 0;
  return isEmpty ? { query } : { query, params };
}

export function toTable({ dialect, variables, values, label }: Driver, { schema, name, columns = [] }: Entity): Table {
  if (!dialect || !variables || !values) {
    throw new AppError("invalid_request", `Table view is not supported for ${label}. Use a console.`);
  }
  return {
    dialect,
    values,
    columns,
    byName: new Map(columns.map((column) => [column.name, column])),
    name: toSqlPath([schema, name], dialect),
    quote: (each) => quoteSqlName(each, dialect),
    bind: () => variables.begin(),
  };
}

/** Generates unique placeholder names, since a driver may give one name only one value. */
export function toBind(binder: VariableBinder, prefix: string): Bind {
  let count = 0;
  const name = () => {
    count += 1;
    return `${prefix}_${count}`;
  };
  return {
    text: (value) => binder.add(name(), { type: "text", value }),
    number: (value) => binder.add(name(), { type: "number", value }),
  };
}

export function columnOf({ byName }: Table, name: string, path: string): EntityColumn {
  const column = byName.get(name);
  if (column) return column;
  throw new AppError("invalid_request", `Unknown column ${name}.`, {
    details: [{ path, message: "Unknown column." }],
  });
}

function toConditions(table: Table, filters: TableRowsBody["filters"], binder: VariableBinder): string[] {
  return filters.map((filter, i) => {
    checkNull(filter, i);
    const column = columnOf(table, filter.column, `filters.${i}.column`);
    return toCondition(filter, column, table, toBind(binder, `f${i}`));
  });
}

const SIGNS = { least: ">=", most: "<=", above: ">", below: "<" } as const;

/** Builds a filter. Rows without a value match only `not`, as users expect. */
function toCondition(filter: TableFilter, column: EntityColumn, { dialect, values, quote }: Table, bind: Bind): string {
  const name = quote(column.name);
  const { is, compare, isNull } = values.of(column, name);
  if (filter.op === "any") {
    const found = filter.values.map((each) => (each === null ? isNull : is(each, bind)));
    return `(${found.join(" or ")})`;
  }
  const { op, value } = filter;
  if (value === null) return op === "not" ? `not ${isNull}` : isNull;
  if (op === "is") return is(value, bind);
  if (op === "not") return `(not ${is(value, bind)} or ${isNull})`;
  if (op !== "holds") return compare(SIGNS[op], value, bind);
  const kind = toColumnKind(column.type) === "text" ? "text" : "other";
  return toSqlCondition(filter, { column: name, kind, dialect }, (text) => bind.text(text));
}

/** @throws AppError `invalid_request` */
export function checkNull(filter: TableFilter, at: number): void {
  if (filter.op === "any" || filter.value !== null || filter.op === "is" || filter.op === "not") return;
  throw new AppError("invalid_request", "null can't be compared with <, <=, > or >=.", {
    details: [{ path: `filters.${at}.value`, message: "null works only with is, not and any." }],
  });
}

import { toSqlText } from "@/lib/base/sql/names";
import type { Entity } from "@/lib/base/values/fields";
import type { Bind, TableValues } from "@/lib/features/connections/column-values";
import type { Driver, Statement } from "@/lib/features/connections/data-source";
import { AppError, invalidInput } from "@/lib/platform/http/errors";
import { yieldToEventLoop } from "@/lib/platform/process/yield-to-event-loop";
import type { RowChange } from "./schema";
import { columnOf, type Table, toBind, toTable, withParams } from "./table-statement";

/* Builds the statements of row changes. Values are bound, and the database converts them to the types of the columns. */

/** The statements of one change. Those that few changes need are built on demand. */
export type ChangeStatements = {
  apply: Statement;
  /** Returns `apply` with its values as literals, to read. */
  text: () => string;
  /** The row to change; null for a new one. */
  row: {
    /** Returns a row if the row has its old values. */
    isUnchanged: () => Statement;
    /** Returns a row if the row already has the new values. Null for a deletion, and where that cannot be asked. */
    isApplied: (() => Statement) | null;
    /** Columns of the key and of the old values. */
    columns: readonly string[];
    /** Returns the present values of some of these. */
    current: (columns: readonly string[]) => Statement;
  } | null;
};

type EditableTable = Table & { edits: NonNullable<TableValues["edits"]>; key: string[] };
type Values = RowChange["set"];

/**
 * Returns the statements of changes to a table.
 * @throws AppError `invalid_request` for a table or column that cannot be edited, a key other than the primary key, a
 *   missing old value, or a value of another type
 */
export async function toChangeStatements(
  driver: Driver,
  entity: Entity,
  changes: readonly RowChange[],
): Promise<ChangeStatements[]> {
  const table = toTable(driver, entity);
  const { edits } = table.values;
  if (!edits) throw invalidInput("table", `Rows of ${driver.label} can't be edited. Use a console.`);
  if (entity.kind !== "table") throw invalidInput("table", `${entity.name} is a view. Edit the rows of its tables.`);
  const key = table.columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
  const statements: ChangeStatements[] = [];
  for (const [at, change] of changes.entries()) {
    statements.push(inChange(at, () => toStatements({ ...table, edits, key }, change)));
    await yieldToEventLoop();
  }
  return statements;
}

function toStatements(table: EditableTable, change: RowChange): ChangeStatements {
  const { name, quote, edits } = table;
  const { key, old, set, defaults } = change;
  for (const column of defaults) columnOf(table, column, "defaults");
  if (change.exact) throw invalidInput("exact", "Only fields of collections can have Extended JSON.");
  if (change.op === "insert") {
    if (Object.keys(key).length > 0)
      throw invalidInput("key", "Only documents can be copied. Send the values to store.");
    const columns = Object.keys(set).map(quote).join(", ");
    const apply = (bind: Bind) => {
      const values = Object.entries(set).map(([column, value]) => toStored(table, column, value, bind));
      const row = values.length > 0 ? `(${columns}) values (${values.join(", ")})` : edits.emptyRow;
      return `insert into ${name} ${row}`;
    };
    return { apply: bound(table, apply), text: () => toText(table, apply), row: null };
  }
  checkRow(table, change);
  const where = (values: Values, bind: Bind) => {
    const conditions = [...Object.entries(key), ...Object.entries(values)].map(([column, value]) => {
      const { is, isNull } = table.values.of(columnOf(table, column, "old"), quote(column));
      return value === null ? isNull : is(value, bind);
    });
    return `where ${conditions.join(" and ")}`;
  };
  const apply = (bind: Bind) => {
    if (change.op === "delete") return `delete from ${name} ${where(old, bind)}`;
    const values = Object.entries(set).map(([column, value]) => {
      return `${quote(column)} = ${toStored(table, column, value, bind)}`;
    });
    const toDefaults = defaults.map((column) => `${quote(column)} = default`);
    return `update ${name} set ${[...values, ...toDefaults].join(", ")} ${where(old, bind)}`;
  };
  const canAsk =
    change.op === "update" && defaults.length === 0 && !Object.keys(set).some((each) => Object.hasOwn(key, each));
  const found = (values: Values) => () => bound(table, (bind) => `select 1 from ${name} ${where(values, bind)}`);
  return {
    apply: bound(table, apply),
    text: () => toText(table, apply),
    row: {
      isUnchanged: found(old),
      isApplied: canAsk ? found(set) : null,
      columns: [...new Set([...Object.keys(key), ...Object.keys(old)])],
      current: (names) =>
        bound(table, (bind) => `select ${names.map(quote).join(", ")} from ${name} ${where({}, bind)}`),
    },
  };
}

/** Returns the value as an expression to store. @throws AppError `invalid_request` */
function toStored(table: EditableTable, name: string, value: string | null, bind: Bind): string {
  const column = columnOf(table, name, "set");
  if (value === null) return "null";
  const { store } = table.values.of(column, table.quote(name));
  if (store) return store(value, bind);
  throw invalidInput("set", `Column ${name} (${column.type}) can't be edited. Use a console.`);
}

/** Requires the key and the old values of a row. @throws AppError `invalid_request` */
function checkRow({ key, edits }: EditableTable, change: RowChange): void {
  if (key.length === 0) throw invalidInput("key", "The table has no primary key. Use a console.");
  const sent = Object.keys(change.key);
  if (sent.length !== key.length || !key.every((name) => Object.hasOwn(change.key, name))) {
    throw invalidInput("key", `Send the primary key: ${key.join(", ")}.`);
  }
  if (change.op !== "update") return;
  const changed = [...Object.keys(change.set), ...change.defaults];
  if (changed.length === 0) throw invalidInput("set", "Send at least one column to change.");
  if (!edits.setsDefault && change.defaults.length > 0) {
    throw invalidInput("defaults", "This database can't set a default in an UPDATE. Send the value.");
  }
  const missing = changed.find((name) => !Object.hasOwn(change.old, name) && !Object.hasOwn(change.key, name));
  if (missing !== undefined) throw invalidInput("old", `Send the value of ${missing} as it was read.`);
}

function bound(table: Table, write: (bind: Bind) => string): Statement {
  const binder = table.bind();
  return withParams(write(toBind(binder, "v")), binder);
}

function toText({ dialect }: Table, write: (bind: Bind) => string): string {
  return write({ text: (value) => toSqlText(value, dialect), number: String });
}

/** Names the change in the details of an error. */
function inChange<T>(at: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "invalid_request") throw error;
    const [problem] = Array.isArray(error.details) ? error.details : [];
    const part = typeof problem?.path === "string" ? `.${problem.path}` : "";
    const { message } = error;
    throw new AppError("invalid_request", message, { details: [{ path: `changes.${at}${part}`, message }] });
  }
}

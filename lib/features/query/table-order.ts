import type { Entity, EntityColumn, WireValue } from "@/lib/base/values/fields";
import type { Bind, ColumnOrder, TableValues } from "@/lib/features/connections/column-values";
import { CURSOR_CHARS_MAX, CURSOR_VALUE_CHARS_MAX } from "./limits";
import { type Cursor, writeCount, writeCursor } from "./table-cursor";

/*
 * The order of a table's rows, complete down to the last row: requested columns first, then those that distinguish
 * rows. A page starts after a row that is identified by its values in this order, as the exact texts of the database.
 */

type Place = Extract<Cursor, { order: unknown }>["order"][number];
type Values = Record<string, WireValue>;

type OrderItem = ColumnOrder & {
  descending: boolean;
  isNull: string;
  nullable: boolean;
  /** Whether it is part of what distinguishes rows. */
  isKey: boolean;
  /** Name of the page's column that has `text`. */
  alias: string;
};

export type SortColumn = { column: EntityColumn; descending: boolean };

/** Order of the rows of one table. */
export class RowOrder {
  readonly #items: readonly OrderItem[];
  readonly #values: TableValues;
  readonly #isUnique: boolean;

  private constructor(items: readonly OrderItem[], values: TableValues, isUnique: boolean) {
    this.#items = items;
    this.#values = values;
    this.#isUnique = isUnique;
  }

  /**
   * @param sort columns whose types have an order
   * @returns null if pages can only be counted
   */
  static of(
    { columns = [], rowId = [] }: Entity,
    { sort, values, quote }: { sort: readonly SortColumn[]; values: TableValues; quote: (name: string) => string },
  ): RowOrder | null {
    const key = [...columns.filter(({ primaryKey }) => primaryKey), ...rowId];
    const isKnown = key.every((column) => values.of(column, quote(column.name)).order !== null);
    const isUnique = key.length > 0 && isKnown && values.keysRepeat !== true;
    const asked = sort.map((each) => ({ ...each, isKey: key.some(({ name }) => name === each.column.name) }));
    const added = isKnown ? key.filter(({ name }) => !sort.some(({ column }) => column.name === name)) : [];
    const behind = added.map((column) => ({ column, descending: false, isKey: true }));
    const parts = [...asked, ...behind].flatMap(({ column, descending, isKey }) => {
      const { order, isNull } = values.of(column, quote(column.name));
      return (order ?? []).map((each, index, all) => ({
        ...each,
        // Only the last part is reversed: the others separate values that have no position in the order.
        descending: descending && index === all.length - 1,
        isNull,
        nullable: column.nullable && each.isNeverNull !== true,
        isKey,
      }));
    });
    if (!isUnique) {
      if (!values.digest || parts.length === 0) return null;
      parts.push(digestOf(values.digest(columns.map((column) => toText(column, values, quote)))));
    }
    const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
    const items = parts.map((part, index) => ({ ...part, alias: freeName(`order_${index + 1}`, taken) }));
    return new RowOrder(items, values, isUnique);
  }

  /** Returns the extra columns of a page, from which the next cursor is built. */
  columns(quote: (name: string) => string): string[] {
    return this.#items.map(({ text, alias }) => `substr(${text}, 1, ${CURSOR_VALUE_CHARS_MAX + 1}) as ${quote(alias)}`);
  }

  get aliases(): string[] {
    return this.#items.map(({ alias }) => alias);
  }

  sql(): string {
    return this.#items.map((item) => toOrderSql(item, this.#values)).join(", ");
  }

  fits(cursor: Cursor): boolean {
    return "order" in cursor && cursor.order.length === this.#items.length;
  }

  /** Returns a condition for the rows after the cursor's row, and for those equal to it if `equal` counts them. */
  behind({ order, equal }: Extract<Cursor, { order: unknown }>, bind: Bind, table: string): string {
    const known = order.map((place, index) => this.#known(place, index, order, bind, table));
    // Some drivers bind by position, so values are bound in the order of the text. A deleted row has no values to
    // continue from.
    const looked = order.flatMap((place, index) => (place === true ? [`${known[index]?.()} is not null`] : []));
    const steps: string[] = [];
    for (const [index, item] of this.#items.entries()) {
      const value = known[index] ?? null;
      // Rows without a value come last: only others of them follow.
      if (value === null) continue;
      const equalBefore = this.#equal(known.slice(0, index));
      const further = `${item.value} ${item.descending ? "<" : ">"} ${value()}`;
      const behind = item.nullable ? `(${further} or ${item.isNull})` : further;
      steps.push(`(${[...equalBefore, behind].join(" and ")})`);
    }
    if (equal !== undefined) steps.push(`(${this.#equal(known).join(" and ")})`);
    if (steps.length === 0) return "1 = 0";
    return [...looked, `(${steps.join(" or ")})`].join(" and ");
  }

  #equal(known: readonly ((() => string) | null)[]): string[] {
    return known.map((value, index) => {
      const item = this.#items[index] as OrderItem;
      return value === null ? item.isNull : `${item.value} = ${value()}`;
    });
  }

  /** Returns the value of a row in the order as SQL, bound again at each use; null for none. */
  #known(place: Place, index: number, order: readonly Place[], bind: Bind, table: string): (() => string) | null {
    const item = this.#items[index] as OrderItem;
    if (place === null) return null;
    if (typeof place === "string") return () => item.read(place, bind);
    return () => {
      const key = this.#items.flatMap((each, at) => {
        const text = order[at];
        if (!each.isKey) return [];
        return [typeof text === "string" ? `${each.value} = ${each.read(text, bind)}` : each.isNull];
      });
      return `(select ${item.value} from ${table} where ${key.join(" and ")})`;
    };
  }

  /**
   * Returns the cursor of the page after these rows; null if rows are counted no further.
   * @param before cursor of this page, if it has one, and the number of rows up to it
   */
  next(rows: readonly Values[], before: { cursor: Cursor | null; count: number }): string | null {
    const last = rows.at(-1);
    const count = before.count + rows.length;
    if (last === undefined) return null;
    const order = this.aliases.map((alias): Place => {
      const text = last[alias] ?? null;
      if (text === null) return null;
      return String(text).length > CURSOR_VALUE_CHARS_MAX ? true : String(text);
    });
    const isNamed = this.#isUnique
      ? this.#items.every(({ isKey }, index) => !isKey || order[index] !== true)
      : !order.includes(true);
    const equal = this.#isUnique ? undefined : this.#equalRows(rows, order, before.cursor);
    const text = isNamed ? writeCursor({ order, ...(equal !== undefined && { equal }), before: count }) : null;
    return text !== null && text.length <= CURSOR_CHARS_MAX ? text : writeCount(count);
  }

  /** Returns the number of rows with the same values at the end of a page, including those before it. */
  #equalRows(rows: readonly Values[], order: readonly Place[], cursor: Cursor | null): number {
    const isSame = (row: Values) => this.aliases.every((alias, index) => (row[alias] ?? null) === order[index]);
    let count = 0;
    while (count < rows.length && isSame(rows[rows.length - 1 - count] as Values)) count += 1;
    const isWhole = count === rows.length;
    const earlier = cursor !== null && "order" in cursor && isWhole ? cursor : null;
    const isContinued = earlier?.order.every((place, index) => place === order[index]) === true;
    return count + (isContinued ? (earlier?.equal ?? 0) : 0);
  }
}

/** Returns the exact text of a column as an expression; the column itself if its type has no order. */
function toText({ name, ...column }: EntityColumn, values: TableValues, quote: (name: string) => string): string {
  const { exactText, order } = values.of({ name, ...column }, quote(name));
  return exactText ?? order?.at(-1)?.text ?? quote(name);
}

/** Returns the order by a digest of the row, for a table without a key; rows equal in all columns are counted. */
function digestOf(value: string) {
  const read = (text: string, bind: Bind) => bind.text(text);
  return { value, text: value, read, descending: false, isNull: "1 = 0", nullable: false, isKey: false };
}

function toOrderSql({ value, descending, nullable, isNull }: OrderItem, { nullsLast }: TableValues): string {
  const direction = descending ? " desc" : "";
  if (!nullable) return `${value}${direction}`;
  if (nullsLast !== null) return `${value}${direction}${nullsLast}`;
  return `case when ${isNull} then 1 else 0 end, ${value}${direction}`;
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  while (taken.has(free)) free = `_${free}`;
  taken.add(free);
  return free;
}

import type { EntityColumn } from "@/lib/base/values/fields";
import { type Bind, type ColumnOrder, type ColumnValues, refuseComparison } from "../../column-values";
import { castTo } from "./variables";

/** Returns a text as an expression. */
export type ToSql = (text: string, bind: Bind) => string;

/** Returns the SQL of a column that is compared directly. @param write returns a shown text as a value of the column */
export function comparedBy(name: string, order: ColumnValues["order"], write: ToSql): ColumnValues {
  return {
    order,
    is: (text, bind) => `${name} = ${write(text, bind)}`,
    compare: (sign, text, bind) => `${name} ${sign} ${write(text, bind)}`,
    isNull: `${name} is null`,
  };
}

/** Returns the SQL of a column whose values have no order. */
export function unordered(column: EntityColumn, name: string, is: ToSql): ColumnValues {
  return { order: null, is, compare: () => refuseComparison(column), isNull: `${name} is null` };
}

/**
 * Returns the SQL of floats where NaN equals nothing and sorts last.
 * @param order expressions of the order, with their types: a rank of NaN and null, and the number or 0
 */
export function floatsBy(
  name: string,
  order: readonly { value: string; text: string; type: string }[],
  isNan: string,
  write: ToSql,
): ColumnValues {
  const orders = order.map(
    ({ value, text, type }): ColumnOrder => ({
      value,
      text,
      read: (given, bind) => castTo(bind.text(given), type),
      isNeverNull: true,
    }),
  );
  const compared = comparedBy(name, orders, write);
  return { ...compared, is: (shown, bind) => (/^nan$/i.test(shown) ? isNan : compared.is(shown, bind)) };
}

import type { EntityColumn } from "@/lib/base/values/fields";
import {
  type Bind,
  type ColumnOrder,
  requireBoolean,
  requireNumber,
  requireTime,
  type TableValues,
} from "../../column-values";
import { comparedBy, floatsBy } from "../shared/compared-values";
import { castTo } from "../shared/variables";

/** Types that ClickHouse does not sort by, or whose values have no unique text. */
const WITHOUT_ORDER = /^(?:Map|JSON|Object|Dynamic|Variant|Nested|AggregateFunction|Point|Ring|Polygon|MultiPolygon)\b/;

/** ClickHouse parses a value's text as the type of the column; NaN equals nothing and sorts last. */
export const clickHouseValues: TableValues = {
  nullsLast: " nulls last",
  keysRepeat: true,
  digest: (texts) =>
    `hex(sipHash128(${texts.map((text) => `ifNull(concat('v', toString(${text})), 'n')`).join(", ")}))`,
  of(column, name) {
    const type = innerType(column.type);
    const write = (shown: string, bind: Bind) => writeShown(shown, type, column, bind);
    if (/^(?:BFloat16|Float(?:32|64))$/.test(type)) {
      const rank = `multiIf(isNull(${name}), 2, isNaN(${name}), 1, 0)`;
      const number = `if(ifNull(isNaN(${name}), 1), 0, ${name})`;
      const order = [
        { value: rank, text: `toString(${rank})`, type: "UInt8" },
        { value: number, text: `toString(${number})`, type },
      ];
      return floatsBy(name, order, `isNaN(${name})`, write);
    }
    return comparedBy(name, WITHOUT_ORDER.test(type) ? null : [orderOf(type, name)], write);
  },
};

function orderOf(type: string, name: string): ColumnOrder {
  if (type.startsWith("DateTime")) {
    return {
      value: name,
      text: `toString(toTimeZone(${name}, 'UTC'))`,
      read: (text, bind) => instant(bind.text(text), type),
    };
  }
  return { value: name, text: `toString(${name})`, read: (text, bind) => castTo(bind.text(text), type) };
}

function instant(text: string, type: string): string {
  const digits = /^DateTime64\((\d)/.exec(type)?.[1];
  return digits === undefined ? `toDateTime(${text}, 'UTC')` : `toDateTime64(${text}, ${digits}, 'UTC')`;
}

function writeShown(shown: string, type: string, column: EntityColumn, bind: Bind): string {
  if (/^U?Int\d+$/.test(type)) {
    requireNumber(shown, column);
    return castTo(bind.text(shown), /^[+-]?\d+$/.test(shown) ? (type === "UInt256" ? type : "Int256") : "Float64");
  }
  if (/^(?:Decimal|Float|BFloat)/.test(type)) {
    requireNumber(shown, column);
    const scale = /^[+-]?\d+\.(\d+)$/.exec(shown)?.[1]?.length ?? 0;
    const own = Number(/,\s*(\d+)\)$/.exec(type)?.[1] ?? 0);
    return castTo(bind.text(shown), type.startsWith("Decimal") && scale > own ? `Decimal(76, ${scale})` : type);
  }
  if (type === "Bool") return castTo(bind.text(String(requireBoolean(shown, column))), "Bool");
  if (/^Date/.test(type)) {
    requireTime(shown, column, /^\d{4,}-\d\d-\d\d/);
    const plain = shown.replace("T", " ").replace(/(?:Z|\+00:00)$/, "");
    if (/^Date(?:32)?$/.test(type)) return castTo(bind.text(plain.slice(0, 10)), type);
    return `toDateTime64(${bind.text(plain)}, 9, 'UTC')`;
  }
  if (/^(?:Array|Map|Tuple|Nested)\(/.test(type))
    return `JSONExtract(${bind.text(shown)}, '${type.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}')`;
  if (/^(?:String|FixedString)/.test(type)) return bind.text(shown);
  return castTo(bind.text(shown), type);
}

function innerType(type: string): string {
  const inner = /^(?:Nullable|LowCardinality)\((.*)\)$/s.exec(type)?.[1];
  return inner === undefined ? type : innerType(inner);
}

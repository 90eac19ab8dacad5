import type { EntityColumn } from "@/lib/base/values/fields";
import {
  type Bind,
  requireBoolean,
  requireBytes,
  requireNumber,
  requireTime,
  type TableValues,
} from "../../column-values";
import { comparedBy, floatsBy, unordered } from "../shared/compared-values";
import { castTo } from "../shared/variables";

const DECIMAL_DIGITS = 38;
/** Types that Trino does not compare, or whose values have no text. */
const WITHOUT_ORDER = /^(?:json|array|map|row|hyperloglog|p4hyperloglog|qdigest|tdigest|setdigest|geometry|color)/i;

/** Trino casts the text of a scalar to the type of the column; NaN equals nothing and sorts last. */
export const trinoValues: TableValues = {
  nullsLast: " nulls last",
  of(column, name) {
    const { type } = column;
    const write = (shown: string, bind: Bind) => writeShown(shown, column, bind);
    const cast = (text: string, bind: Bind) => castTo(bind.text(text), type);
    if (/^(?:real|double)$/i.test(type)) {
      const rank = `case when ${name} is null then 2 when is_nan(${name}) then 1 else 0 end`;
      const number = `case when ${name} is null or is_nan(${name}) then 0 else ${name} end`;
      const order = [
        { value: rank, text: castTo(rank, "varchar"), type: "integer" },
        { value: number, text: castTo(number, "varchar"), type },
      ];
      return floatsBy(name, order, `is_nan(${name})`, write);
    }
    if (WITHOUT_ORDER.test(type)) {
      const shownAs = `json_format(cast(${name} as json))`;
      return unordered(column, name, (shown, bind) => `${shownAs} = json_format(json_parse(${bind.text(shown)}))`);
    }
    const order = /^varbinary/i.test(type)
      ? { value: name, text: `to_hex(${name})`, read: (text: string, bind: Bind) => `from_hex(${bind.text(text)})` }
      : { value: name, text: castTo(name, "varchar"), read: cast };
    return comparedBy(name, [order], write);
  },
};

function writeShown(shown: string, column: EntityColumn, bind: Bind): string {
  const { type } = column;
  if (/^(?:tinyint|smallint|integer|bigint|real|double|decimal.*)$/i.test(type)) {
    requireNumber(shown, column);
    if (/^(?:real|double)$/i.test(type)) return castTo(bind.text(shown), type);
    if (!/^[+-]?\d+(?:\.\d+)?$/.test(shown)) return castTo(bind.text(shown), "double");
    const scale = Math.min((shown.split(".")[1] ?? "").length, DECIMAL_DIGITS - 1);
    return castTo(bind.text(shown), `decimal(${DECIMAL_DIGITS}, ${scale})`);
  }
  if (/^boolean$/i.test(type)) return castTo(bind.text(String(requireBoolean(shown, column))), "boolean");
  if (/^varbinary/i.test(type)) return `from_hex(${bind.text(requireBytes(shown, column).toString("hex"))})`;
  if (/^(?:date|timestamp)/i.test(type)) {
    requireTime(shown, column, /^[+-]?\d{4,}-\d\d-\d\d/);
    if (/^date/i.test(type)) return castTo(bind.text(shown.slice(0, 10)), "date");
    const hasZone = /time zone/i.test(type);
    const plain = shown.replace("T", " ").replace(/(?:Z|\+00:00)$/, "");
    return castTo(bind.text(hasZone ? `${plain} UTC` : plain), type);
  }
  return /^(?:varchar|char)/i.test(type) ? bind.text(shown) : castTo(bind.text(shown), type);
}

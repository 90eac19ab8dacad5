import type { EntityColumn } from "@/lib/base/values/fields";
import {
  ANY_TIME,
  type Bind,
  refuseComparison,
  requireBoolean,
  requireBytes,
  requireNumber,
  requireTime,
  type TableValues,
} from "../../column-values";
import { stampText } from "../postgres/encode";
import { comparedBy, type ToSql, unordered } from "../shared/compared-values";
import { castTo } from "../shared/variables";
import { numberType } from "./variables";

/** The longest text. A cast without a length cuts after 256 bytes. */
const TEXT = "varchar(65535)";
/** Types without an order, and external types that cannot be compared. */
const WITHOUT_ORDER = /^(?:super|geometry|geography|hllsketch|varbyte|binary varying|struct|array|map)/i;
const NUMBER = /^(?:smallint|integer|int|bigint|numeric|decimal|real|float|double)/i;

/** Redshift declares primary keys and does not enforce them, so that several rows may have one key. */
export const redshiftValues: TableValues = {
  nullsLast: " nulls last",
  keysRepeat: true,
  digest: (texts) =>
    `md5(${texts.map((text) => `coalesce(cast(length(${text}) as varchar(20)) || ':' || ${text}, '-')`).join(" || ")})`,
  of(column, name) {
    if (WITHOUT_ORDER.test(column.type)) {
      return unordered(column, name, (shown, bind) => toExact(shown, column, name, bind));
    }
    const read: ToSql = (text, bind) => castTo(bind.text(text), filterType(column.type, text));
    return comparedBy(name, [{ value: name, text: castTo(name, TEXT), read }], (shown, bind) =>
      castTo(bind.text(toText(shown, column)), filterType(column.type, shown)),
    );
  },
};

function toExact(shown: string, column: EntityColumn, name: string, bind: Bind): string {
  if (/^super/i.test(column.type)) return `json_serialize(${name}) = json_serialize(json_parse(${bind.text(shown)}))`;
  if (!/^(?:varbyte|binary varying)/i.test(column.type)) return refuseComparison(column);
  return `${name} = from_hex(${bind.text(requireBytes(shown, column).toString("hex"))})`;
}

/** Returns the type for comparing a value with a column, without a length that would cut the value. */
function filterType(type: string, text: string): string {
  if (/^(?:smallint|integer|int|bigint|numeric|decimal)/i.test(type)) return numberType(text);
  if (/^(?:character|char|varchar|text|string|name)/i.test(type)) return TEXT;
  if (/^(?:real|float|double)/i.test(type)) return "double precision";
  return type;
}

/** Returns the shown text in the form that Redshift parses. */
function toText(shown: string, column: EntityColumn): string {
  const { type } = column;
  if (NUMBER.test(type)) requireNumber(shown, column);
  else if (/^bool/i.test(type)) return String(requireBoolean(shown, column));
  else if (/^(?:date|timestamp)/i.test(type)) {
    requireTime(shown, column, ANY_TIME);
    const hasZone = /(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(shown.slice(10));
    return stampText(/with time zone|tz$/i.test(type) && !hasZone ? `${shown}Z` : shown);
  }
  return shown;
}

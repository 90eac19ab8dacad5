import type { Entity, EntityColumn } from "@/lib/base/values/fields";
import { sourceOf } from "./offers";

/** Columns of the table that become fields; the user adds the others. */
const FIELDS_MAX = 40;
const TYPES: readonly [RegExp, string][] = [
  [/timestamptz|with time zone|datetimeoffset/i, "DateTimeTz"],
  [/timestamp|datetime/i, "DateTime"],
  [/^date/i, "Date"],
  [/interval|^time/i, "Time"],
  [/bool/i, "Boolean"],
  [/int|serial/i, "Integer"],
  [/dec|num|money/i, "Decimal"],
  [/float|double|real/i, "Float"],
  [/char|text|string|enum|uuid/i, "String"],
];
const TIMES = new Set(["DateTimeTz", "DateTime", "Date"]);
const NUMBERS = new Set(["Integer", "Decimal", "Float"]);

/** Returns a first metric file over a table: its columns as fields, their count and the sum of a number. */
export function starterText(name: string, connection: string, entity: Entity): string {
  const columns = (entity.columns ?? []).slice(0, FIELDS_MAX);
  const dataset = fieldName(entity.name);
  const keys = columns.filter(({ primaryKey }) => primaryKey).map((each) => scalar(each.name));
  const time = columns.find((each) => TIMES.has(typeOf(each) ?? ""));
  const number = columns.find((each) => NUMBERS.has(typeOf(each) ?? "") && !each.primaryKey && !/id$/i.test(each.name));
  const settings = time && JSON.stringify({ time: `${dataset}.${fieldName(time.name)}` });
  const extension = settings
    ? [
        "        custom_extensions:",
        "          - vendor_name: MILLRACE",
        `            data: '${settings.replaceAll("'", "''")}'`,
      ]
    : [];
  const metric = (label: string, expression: string) => [
    `      - name: ${scalar(label)}`,
    ...expressionLines(expression, "        "),
    ...extension,
  ];
  return [
    "version: 0.2.0.dev0",
    "semantic_model:",
    `  - name: ${scalar(name)}`,
    "    datasets:",
    `      - name: ${scalar(dataset)}`,
    `        source: ${scalar(sourceOf(connection, entity))}`,
    ...(keys.length > 0 ? [`        primary_key: [${keys.join(", ")}]`] : []),
    ...(columns.length > 0 ? ["        fields:"] : []),
    ...columns.flatMap((each) => {
      const type = typeOf(each);
      return [
        `          - name: ${scalar(fieldName(each.name))}`,
        ...(type ? [`            datatype: ${type}`] : []),
        ...expressionLines(columnName(each.name), "            "),
      ];
    }),
    "    metrics:",
    ...metric(`${dataset}_count`, "COUNT(*)"),
    ...(number ? metric(`total_${fieldName(number.name)}`, `SUM(${dataset}.${columnName(number.name)})`) : []),
    "",
  ].join("\n");
}

function expressionLines(expression: string, indent: string): string[] {
  return [
    `${indent}expression:`,
    `${indent}  dialects:`,
    `${indent}    - dialect: ANSI_SQL`,
    `${indent}      expression: ${scalar(expression)}`,
  ];
}

function typeOf({ type }: EntityColumn): string | null {
  return TYPES.find(([pattern]) => pattern.test(type))?.[1] ?? null;
}

/** Returns a name without the characters that references would have to quote. */
function fieldName(column: string): string {
  const name = column.replace(/[^A-Za-z0-9_]+/g, "_").slice(0, 100);
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

/** Unquoted names of expressions are lower case. */
function columnName(column: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(column) ? column : `"${column.replaceAll('"', '""')}"`;
}

/** Returns a YAML scalar: JSON where plain text could mean something else. */
function scalar(text: string): string {
  return /^[A-Za-z_][\w .()*$-]*$/.test(text) &&
    text.trim() === text &&
    !/^(?:true|false|null|yes|no|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);
}

import { formatCount, formatCountOf } from "@/lib/base/values/amounts";
import { groupDigits } from "@/lib/base/values/exact-number";
import { toGrainText, toSpanText } from "@/lib/base/values/grain-text";
import { words } from "./build";
import type { Grain } from "./dates";
import { type Output, type Plan, type Predicate, type Ref, ROWS_MAX } from "./plan";
import { displayColumns, type Table } from "./schema";
import { singularOf } from "./words";

/** Explains the query and its result in words. */

/** Rows and columns of the small table in the answer; the tool's card has the full result. */
const ROWS_SHOWN = 10;
const COLUMNS_SHOWN = 6;
const CELL_CHARS = 80;
/** Maximum number of groups that a sentence names. */
const GROUPS_SAID = 3;
const DAY_MS = 86_400_000;

export type Answer = { fields: string[]; rows: Record<string, unknown>[]; rowCount: number; truncated: boolean };

/** @param isDrawn whether a chart shows the rows already */
export function explain(plan: Plan, answer: Answer, notes: readonly string[], isDrawn = false): string {
  const table = isDrawn ? "" : tableOf(plan, answer);
  return [lead(plan, answer), table, idea(plan), ...notes].filter((part) => part !== "").join("\n\n");
}

function lead(plan: Plan, { fields, rows, rowCount, truncated }: Answer): string {
  const [first] = rows;
  const where = whereWords(plan);
  if (!first) return `No ${words(plan.from)}${where}.`;
  if (plan.countedAs !== null) {
    const counted = plan.countedAs.replace(/_count$/, "").replaceAll("_", " ");
    return `The number of ${counted} that match is **${figure(first[plan.countedAs])}**.`;
  }
  const said = (alias: string) => {
    const isShare = plan.measures.some((measure) => measure.alias === alias && measure.fn === "share");
    return `**${figure(first[alias])}${isShare ? " %" : ""}**`;
  };
  if (plan.outputs.length === 0 && rows.length === 1) {
    const [only, ...others] = plan.measures;
    if (only && others.length === 0)
      return `${capital(measureWords(plan, only.alias))}${where} is ${said(only.alias)}.`;
    const parts = plan.measures.map(({ alias }) => `${measureWords(plan, alias)} is ${said(alias)}`);
    return `${capital(parts.join(" and "))}${where}.`;
  }
  // A list that ends at its limit may be longer.
  const isWhole = plan.limit === null || rowCount < plan.limit;
  const isExact = isWhole && !(truncated && rowCount <= rows.length);
  const isAsked = plan.limit !== null && plan.limit < ROWS_MAX;
  const counted = `${formatCount(rowCount)}${isExact || isAsked ? "" : " or more"} ${rowCount === 1 ? "row" : "rows"}`;
  const amount = plan.measures[0]?.alias;
  // A ranking that shows many columns of a row is one of those rows.
  const isName = ({ ref: { table, column } }: Output) => displayColumns(table).includes(column);
  const named = plan.outputs.length > GROUPS_SAID ? plan.outputs.find(isName) : undefined;
  const groups = named ? singular(named.ref.table) : plan.outputs.map(outputWords(plan)).join(" and ");
  if (amount && plan.order[0]?.alias === amount) {
    const name = named ?? plan.outputs.find((each) => plan.outputs.length === 1 || !/(^|_)id$/.test(each.alias));
    const direction = plan.order[0].isDescending ? "highest" : "lowest";
    const label = name ? shown(name, first[name.alias]) : cell(first[fields[0] ?? ""]);
    return `${capital(measureWords(plan, amount))} by ${groups}${where}: the ${direction} is **${label}** with ${said(amount)}${rowCount > 1 ? ` (${counted})` : ""}.`;
  }
  if (amount) return `${capital(measureWords(plan, amount))} by ${groups}${where}: ${counted}.`;
  if (rows.length === 1) {
    const [name] = plan.outputs.filter(({ alias }) => plan.outputs.length === 1 || !/(^|_)id$/.test(alias));
    return `It is **${name ? shown(name, first[name.alias]) : cell(first[fields[0] ?? ""])}**${where}.`;
  }
  return `${counted} of ${words(plan.from)}${where}.`;
}

/** Returns what a group is called: the name of a customer stands for the customer. */
function outputWords({ from }: Plan): (output: Output) => string {
  return ({ kind, alias, ref }) => {
    if (kind === "time" || ref.table === from || !displayColumns(ref.table).includes(ref.column))
      return alias.replaceAll("_", " ");
    return singular(ref.table);
  };
}

/** Returns a value of a column as text: a month is "Jan 2026". */
function shown(output: Output, value: unknown): string {
  if (output.kind === "time") return timeText(value, output.grain);
  const { kind, isReference, isKey, isYear } = output.ref.column;
  return kind === "number" && !isReference && !isKey && !isYear ? figure(value) : cell(value);
}

/** Databases return the first day of a span; MongoDB returns "2026" for a year and "2026-09" for a month. */
function timeText(value: unknown, grain: Grain): string {
  const text = String(value);
  const rest = /^\d{4}$/.test(text) ? "-01-01" : /^\d{4}-\d\d$/.test(text) ? "-01" : "";
  return toGrainText(`${text}${rest}`, grain) ?? cell(value);
}

function measureWords({ measures, from }: Plan, alias: string): string {
  const measure = measures.find((each) => each.alias === alias);
  switch (measure?.fn) {
    case "count":
      return `the number of ${words(from)}`;
    case "countDistinct":
      return `the number of distinct ${measure.ref.column.isReference ? alias.replace(/_count(?:_\d+)?$/, "").replaceAll("_", " ") : `values of ${measure.ref.column.name}`}`;
    case "share":
      return "the share";
    default:
      return `the ${alias.replaceAll("_", " ")}`;
  }
}

function whereWords({ where, measures }: Plan): string {
  const share = measures.find((measure) => measure.fn === "share");
  const part = share?.fn === "share" && share.where ? share.where.map(predicateWords) : [];
  const all = where.map(predicateWords);
  return `${part.length > 0 ? ` with ${part.join(" and ")}` : ""}${all.length > 0 ? `${part.length > 0 ? ", among those" : ""} with ${all.join(" and ")}` : ""}`;
}

function predicateWords(predicate: Predicate): string {
  switch (predicate.kind) {
    case "compare":
      return typeof predicate.value === "boolean"
        ? `${name(predicate.ref)} ${predicate.value ? "yes" : "no"}`
        : `${name(predicate.ref)} ${predicate.op} ${predicate.value}`;
    case "in":
      return `${name(predicate.ref)} ${predicate.isNegated ? "not " : ""}${predicate.values.map((value) => `“${shorten(String(value))}”`).join(" or ")}`;
    case "null":
      return `${predicate.isNegated ? (/^[aeiou]/i.test(name(predicate.ref)) ? "an" : "a") : "no"} ${name(predicate.ref)}`;
    case "contains":
      return `${name(predicate.ref)} ${predicate.isNegated ? "not " : ""}${{ anywhere: "containing", start: "starting with", end: "ending with" }[predicate.where]} “${shorten(predicate.text)}”`;
    case "span": {
      const { start, end } = predicate;
      return `${name(predicate.ref)} ${predicate.isNegated ? "not " : ""}${spanWords(start, end)}`;
    }
    case "exists":
      return `${predicate.isNegated ? "no" : "any"} ${words(predicate.table)}${predicate.where.length > 0 ? ` with ${predicate.where.map(predicateWords).join(" and ")}` : ""}`;
  }
}

/** Returns a span of days; its end is exclusive. */
export function spanWords(start: string | null, end: string | null): string {
  const day = (date: string | null) => toGrainText(date ?? "", "day") ?? String(date);
  if (!start || !end) return start ? `since ${day(start)}` : `before ${day(end)}`;
  const last = new Date(Date.parse(`${end}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10);
  if (start === last) return `on ${day(start)}`;
  const span = toSpanText(start, last);
  if (span === null) return `from ${day(start)} to ${day(last)}`;
  return `in ${span.startsWith("week") ? `the ${span}` : span}`;
}

function name({ column, table }: Ref): string {
  const plain = column.name.replaceAll(/[_-]+/g, " ");
  return plain === "name" || plain === "id" ? `${singular(table)} ${plain}` : plain;
}

function singular(table: Table): string {
  return words(table).replace(/\S+$/, (word) => singularOf(word));
}

/** Explains what the query does, for readers without SQL. */
function idea(plan: Plan): string {
  const joined = [...new Set(plan.joins.map(({ table }: { table: Table }) => `\`${table.name}\``))];
  const parts = [
    `reads \`${plan.from.name}\``,
    ...(joined.length > 0 ? [`joins ${joined.join(", ")} on their keys`] : []),
    ...(plan.where.length > 0 ? ["filters the rows"] : []),
    ...(plan.measures.length > 0 && plan.outputs.length > 0
      ? [`groups them by ${plan.outputs.map(({ alias }) => alias.replaceAll("_", " ")).join(", ")}`]
      : []),
    ...(plan.having.length > 0 ? ["filters the groups"] : []),
  ];
  return `The query ${parts.join(", ")}.`;
}

function tableOf(plan: Plan, { fields, rows, rowCount }: Answer): string {
  if (rows.length === 0 || (rows.length === 1 && fields.length === 1)) return "";
  const isMeasure = (field: string) => plan.measures.some(({ alias }) => alias === field);
  const figures = fields.filter(isMeasure).slice(0, COLUMNS_SHOWN);
  const columns = [...fields.filter((field) => !isMeasure(field)).slice(0, COLUMNS_SHOWN - figures.length), ...figures];
  const textOf = (field: string, value: unknown) => {
    const output = plan.outputs.find(({ alias }) => alias === field);
    return output ? shown(output, value) : isMeasure(field) ? figure(value) : cell(value);
  };
  const lines = rows
    .slice(0, ROWS_SHOWN)
    .map((row) => `| ${columns.map((field) => textOf(field, row[field])).join(" | ")} |`);
  const rest = rowCount - ROWS_SHOWN;
  const more = rest > 0 ? `\n\n${formatCountOf(rest, "more row is", "more rows are")} in the result.` : "";
  return (
    [`| ${columns.map(unmarked).join(" | ")} |`, `|${columns.map(() => " --- |").join("")}`, ...lines].join("\n") + more
  );
}

/** Returns a number with grouped digits; other values as text. */
function figure(value: unknown): string {
  const text = String(value);
  if (/^-?\d+$/.test(text)) return groupDigits(text);
  if (typeof value === "number" || /^-?\d+\.\d+$/.test(text)) return formatCount(Math.round(Number(text) * 100) / 100);
  return cell(value);
}

/** Returns a value as plain text, without markup (T65). */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : figure(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "object") return unmarked(shorten(JSON.stringify(value)));
  const text = String(value);
  if (/^-?\d+\.\d+$/.test(text)) return figure(text);
  // A day, if the database returns its midnight.
  return unmarked(shorten(text.replace(/^(\d{4}-\d{2}-\d{2})[T ]00:00:00(?:\.0+)?Z?$/, "$1")));
}

function shorten(text: string): string {
  const plain = text.replaceAll(/\s+/g, " ").trim();
  return plain.length > CELL_CHARS ? `${plain.slice(0, CELL_CHARS - 1)}…` : plain;
}

function unmarked(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()<>#|!~]/g, (sign) => `\\${sign}`);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

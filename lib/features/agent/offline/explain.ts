import { formatCount } from "@/lib/base/values/amounts";
import { words } from "./build";
import type { Plan, Predicate, Ref } from "./plan";
import type { Table } from "./schema";

/** Explains the query and its result in words. */

/** Rows and columns of the small table in the answer; the tool's card has the full result. */
const ROWS_SHOWN = 10;
const COLUMNS_SHOWN = 6;
const CELL_CHARS = 80;

export type Answer = { fields: string[]; rows: Record<string, unknown>[]; rowCount: number; truncated: boolean };

export function explain(plan: Plan, answer: Answer, notes: readonly string[]): string {
  return [lead(plan, answer), tableOf(answer), idea(plan), ...notes].filter((part) => part !== "").join("\n\n");
}

function lead(plan: Plan, { fields, rows, rowCount, truncated }: Answer): string {
  const first = rows[0];
  if (!first) return `No ${words(plan.from)}${whereWords(plan)}.`;
  if (plan.countedAs !== null) {
    return `Number of ${plan.countedAs.replace(/_count$/, "").replaceAll("_", " ")} that match: **${cell(first[plan.countedAs])}**.`;
  }
  const single = plan.outputs.length === 0 && rows.length === 1;
  if (single) {
    const parts = plan.measures.map(
      (measure) =>
        `${measureWords(plan, measure.alias)} is **${cell(first[measure.alias])}${measure.fn === "share" ? " %" : ""}**`,
    );
    return `${capital(parts.join(" and "))}${whereWords(plan)}.`;
  }
  const amount = plan.measures[0]?.alias;
  const name =
    fields.find(
      (field) =>
        plan.outputs.some(({ alias }) => alias === field) && (plan.outputs.length === 1 || !/(^|_)id$/.test(field)),
    ) ??
    fields[0] ??
    "";
  const counted = `${formatCount(rowCount)}${truncated ? " or more" : ""} ${rowCount === 1 ? "row" : "rows"}`;
  if (amount && plan.order[0]?.alias === amount) {
    const direction = plan.order[0].isDescending ? "highest" : "lowest";
    return `${capital(measureWords(plan, amount))} by ${plan.outputs.map(({ alias }) => alias.replaceAll("_", " ")).join(" and ")}${whereWords(plan)}: the ${direction} is **${cell(first[name])}** with **${cell(first[amount])}** (${counted}).`;
  }
  if (amount)
    return `${capital(measureWords(plan, amount))} by ${plan.outputs.map(({ alias }) => alias.replaceAll("_", " ")).join(" and ")}${whereWords(plan)} (${counted}).`;
  if (rows.length === 1) return `It is **${cell(first[name])}**${whereWords(plan)}.`;
  return `I found ${counted} of ${words(plan.from)}${whereWords(plan)}.`;
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
      return `${predicate.isNegated ? "a" : "no"} ${name(predicate.ref)}`;
    case "contains":
      return `${name(predicate.ref)} ${predicate.isNegated ? "not " : ""}${{ anywhere: "containing", start: "starting with", end: "ending with" }[predicate.where]} “${shorten(predicate.text)}”`;
    case "span": {
      const { start, end } = predicate;
      const said =
        start && end ? `from ${start} up to but without ${end}` : start ? `from ${start} on` : `before ${end}`;
      return `${name(predicate.ref)} ${predicate.isNegated ? "not " : ""}${said}`;
    }
    case "exists":
      return `${predicate.isNegated ? "no" : "any"} ${words(predicate.table)}${predicate.where.length > 0 ? ` with ${predicate.where.map(predicateWords).join(" and ")}` : ""}`;
  }
}

function name({ column, table }: Ref): string {
  const plain = column.name.replaceAll(/[_-]+/g, " ");
  return plain === "name" || plain === "id" ? `${words(table).replace(/s$/, "")} ${plain}` : plain;
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

function tableOf({ fields, rows, rowCount }: Answer): string {
  if (rows.length === 0 || (rows.length === 1 && fields.length === 1)) return "";
  const shown = fields.slice(0, COLUMNS_SHOWN);
  const lines = rows.slice(0, ROWS_SHOWN).map((row) => `| ${shown.map((field) => cell(row[field])).join(" | ")} |`);
  const more =
    rowCount > ROWS_SHOWN
      ? `\n\n${formatCount(rowCount - ROWS_SHOWN)} more ${rowCount - ROWS_SHOWN === 1 ? "row is" : "rows are"} in the result.`
      : "";
  return (
    [`| ${shown.map(unmarked).join(" | ")} |`, `|${shown.map(() => " --- |").join("")}`, ...lines].join("\n") + more
  );
}

/** Returns a value as plain text, without markup (T65). */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "object") return unmarked(shorten(JSON.stringify(value)));
  const text = String(value);
  if (/^-?\d+\.\d+$/.test(text)) return number(Number(text));
  // A day, if the database returns its midnight.
  return unmarked(shorten(text.replace(/^(\d{4}-\d{2}-\d{2})[T ]00:00:00(?:\.0+)?Z?$/, "$1")));
}

function number(value: number): string {
  if (Number.isInteger(value)) return Math.abs(value) >= 10_000 ? formatCount(value) : String(value);
  return formatCount(Math.round(value * 100) / 100);
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

import { offsetSpans, toStamp } from "../values/period.ts";
import type { MetricSql } from "./dialects/metric-sql.ts";
import type { SqlDialect } from "./dialects/registry.ts";
import { toSqlText } from "./names.ts";

type Zone = {
  sql: MetricSql;
  dialect: SqlDialect;
  zone: string;
  /** Moments between which the values are, in ms since 1970; null for no bound. */
  period: { from: number | null; to: number | null };
};

/**
 * Returns the local time of an instant, as SQL. For a database that knows no zones, the offsets of the period are
 * written into the statement.
 */
export function toLocalSql(value: string, { sql, dialect, zone, period }: Zone): string {
  if (sql.toLocal) return sql.toLocal(value, toSqlText(zone, dialect));
  const spans = offsetSpans(zone, period);
  const compared = sql.comparable?.(value, "instant") ?? value;
  const cases = spans.map(({ until, minutes }) => {
    const shifted = sql.add(value, minutes, "minute");
    if (until === Number.POSITIVE_INFINITY) return spans.length === 1 ? shifted : ` else ${shifted} end`;
    return ` when ${compared} < ${sql.literal(toStamp(until, false), "instant")} then ${shifted}`;
  });
  return spans.length === 1 ? (cases[0] ?? value) : `case${cases.join("")}`;
}

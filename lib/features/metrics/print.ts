import type { MetricSql } from "@/lib/base/sql/dialects/metric-sql";
import { DIALECTS, type SqlDialect } from "@/lib/base/sql/dialects/registry";
import { toSqlText } from "@/lib/base/sql/names";
import { AppError } from "@/lib/platform/http/errors";
import type { Aggregate, Expression } from "./expression";

/** Context of the printer: the dialect, and the SQL of references and aggregates. */
export type Context = {
  dialect: SqlDialect;
  sql: MetricSql;
  reference: (reference: Extract<Expression, { kind: "reference" }>) => string;
  aggregate?: (aggregate: Aggregate) => string;
};

/** Writes a tree as SQL of a dialect. Each part is in parentheses, and nothing of the text is copied unquoted. */
export function toSql(tree: Expression, context: Context): string {
  const { dialect, sql } = context;
  const print = (part: Expression) => toSql(part, context);
  const { booleanWords } = DIALECTS[dialect];
  switch (tree.kind) {
    case "number":
      return tree.text;
    case "text":
      return toSqlText(tree.text, dialect);
    case "word":
      if (tree.word === "true" || tree.word === "false") {
        return booleanWords ? tree.word : String(Number(tree.word === "true"));
      }
      return tree.word;
    case "moment":
      return sql.literal(tree.text, tree.type === "date" ? "date" : "time");
    case "reference":
      return context.reference(tree);
    case "unary":
      return `(${tree.op} ${print(tree.value)})`;
    case "binary":
      if (tree.op === "/") return sql.divide(print(tree.left), print(tree.right));
      if (tree.op === "||") return sql.concat([print(tree.left), print(tree.right)]);
      return `(${print(tree.left)} ${tree.op} ${print(tree.right)})`;
    case "isNull":
      return `(${print(tree.value)} is ${tree.isNegated ? "not " : ""}null)`;
    case "in":
      return `(${print(tree.value)} ${tree.isNegated ? "not " : ""}in (${tree.list.map(print).join(", ")}))`;
    case "between":
      return `(${print(tree.value)} ${tree.isNegated ? "not " : ""}between ${print(tree.low)} and ${print(tree.high)})`;
    case "like": {
      const [value, pattern] = [print(tree.value), print(tree.pattern)];
      const [a, b] = tree.ignoresCase ? [`lower(${value})`, `lower(${pattern})`] : [value, pattern];
      return `(${a} ${tree.isNegated ? "not " : ""}like ${b})`;
    }
    case "case": {
      const branches = tree.branches.map(({ condition, result }) => ` when ${print(condition)} then ${print(result)}`);
      return `case${branches.join("")}${tree.otherwise ? ` else ${print(tree.otherwise)}` : ""} end`;
    }
    case "cast":
      return `cast(${print(tree.value)} as ${sql.types[tree.type]})`;
    case "part":
      return sql.part(tree.part, print(tree.value));
    case "truncate":
      return sql.truncate(print(tree.value), tree.part);
    case "call": {
      const values = tree.values.map(print);
      if (tree.name === "concat") return sql.concat(values);
      return sql.functions[tree.name]?.(...values) ?? `${tree.name}(${values.join(", ")})`;
    }
    case "aggregate":
      if (!context.aggregate) throw new Error("An aggregate is in a place for a row.");
      return context.aggregate(tree);
  }
}

/** Returns an aggregate of a value. @throws AppError invalid_request if the database lacks it */
export function toSqlAggregate({ name, isDistinct }: Aggregate, value: string, { aggregates }: MetricSql): string {
  const distinct = isDistinct ? "distinct " : "";
  if (name === "sum" || name === "count" || name === "min" || name === "max") return `${name}(${distinct}${value})`;
  const write = aggregates[name];
  if (!write) throw new AppError("invalid_request", `This database has no ${name.toUpperCase()}. Change the metric.`);
  return write(value, distinct);
}

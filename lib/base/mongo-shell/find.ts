import type { Condition, ConditionKind } from "@/lib/base/sql/conditions";

/** A condition on a field. `dbType` is the type of its values, or several with bars between them. */
export type FieldCondition = { name: string; kind: ConditionKind; dbType?: string | undefined; condition: Condition };
type Find = { conditions?: readonly FieldCondition[]; sort?: { name: string; isDescending: boolean } | null };

/** Maximum number of documents of a query that a person has not written. */
const ROWS = 100;
const SIGNS = { not: "$ne", least: "$gte", most: "$lte", above: "$gt", below: "$lt" } as const;

/** Returns the shell text that reads the first documents of a collection. */
export function toShellFind(collection: string, { conditions = [], sort = null }: Find = {}): string {
  const filters = conditions.map(toEntry);
  const names = new Set(filters.map(([name]) => name));
  // An object holds each name once.
  const filter =
    names.size === filters.length
      ? toObject(filters)
      : toObject([["$and", `[${filters.map((each) => toObject([each])).join(", ")}]`]]);
  const sorted = sort === null ? "" : `.sort(${toObject([[sort.name, sort.isDescending ? "-1" : "1"]])})`;
  return `db.getCollection(${JSON.stringify(collection)}).find(${filter})${sorted}.limit(${ROWS})`;
}

function toEntry({ name, kind, dbType = "", condition }: FieldCondition): [name: string, value: string] {
  const write = (value: string | null) => (value === null ? "null" : toValue(value, kind, dbType));
  if (condition.op === "any") return [name, toObject([["$in", `[${condition.values.map(write).join(", ")}]`]])];
  const { op, value } = condition;
  if (op === "is" || value === null) return [name, op === "not" ? toObject([["$ne", "null"]]) : write(value)];
  if (op !== "holds") return [name, toObject([[SIGNS[op], write(value)]])];
  const regex = JSON.stringify(value.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  if (kind === "text") return [name, `{ $regex: ${regex}, $options: "i" }`];
  const input = `{ $toString: ${JSON.stringify(`$${name}`)} }`;
  return ["$expr", `{ $regexMatch: { input: ${input}, regex: ${regex}, options: "i" } }`];
}

function toValue(value: string, kind: ConditionKind, dbType: string): string {
  if (kind === "number") return toNumber(value);
  if (kind === "boolean") return /^true$/i.test(value) ? "true" : "false";
  if (kind === "date" || kind === "time") {
    const time = value.replace(" ", "T");
    const hasZone = !time.includes("T") || /(?:Z|[+-]\d\d:?\d\d)$/.test(time);
    return `ISODate(${JSON.stringify(hasZone ? time : `${time}Z`)})`;
  }
  return dbType.includes("objectId") && /^[\da-f]{24}$/i.test(value) ? `ObjectId("${value}")` : JSON.stringify(value);
}

/** Returns a number that no float may round. */
function toNumber(value: string): string {
  return String(Number(value)) === value ? value : `NumberDecimal(${JSON.stringify(value)})`;
}

function toObject(entries: readonly (readonly [name: string, value: string])[]): string {
  if (entries.length === 0) return "{}";
  const name = (each: string) => (/^[A-Za-z_$][\w$]*$/.test(each) ? each : JSON.stringify(each));
  return `{ ${entries.map(([each, value]) => `${name(each)}: ${value}`).join(", ")} }`;
}

export const FILTER_OPS = [
  ...["eq", "ne", "in", "nin", "lt", "lte", "gt", "gte", "between", "contains", "isNull", "notNull"],
] as const as readonly ["eq", "ne", "in", "nin", "lt", "lte", "gt", "gte", "between", "contains", "isNull", "notNull"];
export type FilterOp = (typeof FILTER_OPS)[number];

import { AppError } from "@/lib/platform/http/errors";
import type { DataSource, QueryableSource } from "./data-source";

/** Returns the source as a queryable one. @throws AppError `invalid_request` for one that only flows read */
export function requireQueryable(source: DataSource): QueryableSource {
  if (isQueryable(source)) return source;
  throw new AppError("invalid_request", "This connection cannot be queried. Flows can read it.");
}

function isQueryable(source: DataSource): source is QueryableSource {
  return source.query !== undefined;
}

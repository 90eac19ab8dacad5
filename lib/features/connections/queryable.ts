import { AppError } from "@/lib/platform/http/errors";
import type { DataSource, QueryableSource } from "./data-source";

/** Returns the source as a queryable one. @throws AppError `invalid_request` for one that only flows read */
export function requireQueryable(source: DataSource): QueryableSource {
  if (isQueryable(source)) return source;
  throw new AppError("invalid_request", "This connection can't be queried. Use it in a flow.");
}

function isQueryable(source: DataSource): source is QueryableSource {
  return source.query !== undefined;
}

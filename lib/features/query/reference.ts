import { z } from "zod";
import type { ContentShapes } from "@/lib/platform/http/content";
import type { ErrorKind } from "@/lib/platform/http/errors";

/** Errors of any request to a data source. */
export const SOURCE_FAILURES = [
  "query_failed",
  "read_only",
  "not_allowed",
  "address_refused",
  "precondition_failed",
  "rate_limited",
  "source_unreachable",
  "timeout",
] as const satisfies ErrorKind[];

/** Errors of running a query: of its connection, its limits or its database. */
export const EXECUTE_FAILURES = [
  ...SOURCE_FAILURES,
  "not_found",
  "conflict",
  "cancelled",
  "too_large",
] as const satisfies ErrorKind[];

/** Errors of running a statement that may write, or that runs in a session. */
export const WRITE_FAILURES = [
  ...EXECUTE_FAILURES,
  "confirmation_required",
  "unavailable",
] as const satisfies ErrorKind[];

/** Errors of changing rows. */
export const ROW_CHANGE_FAILURES = [...WRITE_FAILURES, "unsupported"] as const satisfies ErrorKind[];

/** Errors of opening a session for manual transactions. */
export const SESSION_FAILURES = [
  ...SOURCE_FAILURES,
  "unsupported",
  "not_found",
  "conflict",
] as const satisfies ErrorKind[];

export const EXECUTE_REFUSALS = {
  query: "A different language than the connection's, or text without a statement",
  params: "Values that do not match the query's placeholders",
  variables: "A missing variable; variables combined with params or an operation object",
  readOnly: "true with a session that may write",
  result: "A number that is not below the statement's number of results",
};

export const TABLE_COUNT_REFUSALS = {
  table: "A connection without tables or collections",
  filters: "Unknown columns, or values of the wrong type",
};
export const ROW_CHANGE_REFUSALS = {
  table: "A view, a table without a primary key, or a connection whose rows cannot be edited",
  changes:
    "Unknown columns, a key other than the primary key, values of the wrong type, or old without a column of set. In a collection: a changed _id, a key that several documents show, or a deleted document to copy",
};
export const TABLE_REFUSALS = {
  ...TABLE_COUNT_REFUSALS,
  sort: "Unknown columns, or columns of types without an order",
  after: "A cursor of another query",
  exact: "A connection without collections",
};

export const QUESTION_REFUSALS = {
  question:
    "Unknown tables or columns, values or grains of the wrong type, repeated names, or a summary that joins would repeat of a table without a primary key. `details` has the path",
};

/** Formats of a result that Accept may request besides JSON. */
export const RESULT_STREAMS: ContentShapes = {
  "application/x-ndjson": null,
  "text/csv": z.string(),
  "application/vnd.apache.arrow.stream": null,
  "application/vnd.apache.parquet": null,
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": null,
};

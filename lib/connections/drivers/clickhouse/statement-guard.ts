import { AppError } from "@/lib/http/errors";
import { readSqlTokens, type SqlToken } from "@/lib/sql/tokens";
import { ONE_STATEMENT_MESSAGE, READ_ONLY_MESSAGE } from "../shared/failures";

/*
 * What a statement may be on ClickHouse. The setting readonly=1 refuses writes, DDL and other settings; this list refuses
 * what it lets through: files of the server and other servers, by table functions of which some need no right of their own.
 */

const READING = new Set(["SELECT", "WITH", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "EXISTS", "VALUES"]);
const CHANGING = new Set([
  ...["INSERT", "CREATE", "ALTER", "DROP", "TRUNCATE", "RENAME", "OPTIMIZE", "DELETE", "UPDATE", "EXCHANGE", "UNDROP"],
  ...["GRANT", "REVOKE"],
]);
/** The session ends with the request. */
const NEVER = new Set(["SET", "USE", "BEGIN", "COMMIT", "ROLLBACK"]);
const REFUSED_FUNCTIONS =
  /^(?:file|url|s3|gcs|oss|cosn|hdfs|hive|azureblobstorage|remote|remotesecure|cluster|clusterallreplicas|mysql|postgresql|mongodb|redis|sqlite|odbc|jdbc|executable|input|iceberg\w*|deltalake\w*|hudi\w*|paimon\w*|ytsaurus|arrowflight|urlengine|catboostevaluate|filesystem\w*|\w+cluster)$/;

/** @throws AppError `invalid_request`, `query_failed`, `read_only`, `not_allowed` */
export function checkStatement(query: string, readOnly: boolean): void {
  const tokens = readSqlTokens(query, "clickhouse");
  const last = tokens.findLastIndex((token) => token.kind !== "semicolon");
  const words = tokens.slice(0, last + 1);
  if (words.length === 0) throw new AppError("invalid_request", "There is no statement to run. Write one first.");
  const start = wordOf(words.find((token) => token.text !== "("));
  if (words.some((token) => token.kind === "semicolon")) throw new AppError("query_failed", ONE_STATEMENT_MESSAGE);
  if (NEVER.has(start)) {
    throw new AppError("not_allowed", "Each statement runs in a session of its own, so this would have no effect.");
  }
  if (start !== "INSERT") refuseFormat(words);
  if (!readOnly) return;
  if (CHANGING.has(start)) throw new AppError("read_only", READ_ONLY_MESSAGE);
  if (!READING.has(start)) {
    throw new AppError(
      "not_allowed",
      `${start || "This"} begins no statement that a read-only connection runs. Begin with SELECT or SHOW.`,
    );
  }
  for (const [index, token] of words.entries()) checkCall(token, words[index + 1]);
}

/** `FORMAT name` at the end would change how the result travels. */
function refuseFormat(words: readonly SqlToken[]): void {
  const at = words.findIndex((token, index) => {
    const next = words[index + 1];
    return wordOf(token) === "FORMAT" && next?.kind === "word" && words[index - 1]?.text !== ".";
  });
  const isClause = at > 0 && words.slice(at + 2).every((token, index) => index > 0 || wordOf(token) === "SETTINGS");
  if (isClause)
    throw new AppError("not_allowed", "Leave FORMAT out: the format of the answer is chosen by its reader.");
  if (words.some((token, index) => wordOf(token) === "INTO" && wordOf(words[index + 1]) === "OUTFILE")) {
    throw new AppError("not_allowed", "INTO OUTFILE cannot be used here: export the result instead.");
  }
}

function checkCall(token: SqlToken, next: SqlToken | undefined): void {
  if (next?.text !== "(" || (token.kind !== "word" && token.kind !== "quotedName")) return;
  if (REFUSED_FUNCTIONS.test(token.text.toLowerCase())) {
    throw new AppError(
      "not_allowed",
      `The function ${token.text.slice(0, 60)} cannot be used on a read-only connection: it reaches files or other servers.`,
    );
  }
}

function wordOf(token: SqlToken | undefined): string {
  return token?.kind === "word" ? token.text.toUpperCase() : "";
}

import type { StatementWrite } from "../../../base/sql/writes.ts";

/** A name in a statement whose meaning only the database's catalogue can tell. */
export type Use = {
  /**
   * Function or type in a call, `x.name` for a column or a call, operator, type, relation, server setting. The name of a
   * setting is empty where the text does not determine it.
   */
  kind: "f" | "a" | "o" | "t" | "r" | "s";
  /** Null: resolved with the session's search path. */
  schema: string | null;
  name: string;
  /** Number of arguments of a call; null when the text does not determine it. */
  args: number | null;
};

/** Result of checking a PostgreSQL statement in the grammar's process. */
export type Verdict =
  /** `uses` is empty when writing is allowed, because it is not needed then; otherwise `write` is null. */
  | { status: "ok"; returnsRows: boolean; uses: readonly Use[]; write: StatementWrite | null }
  | {
      status: "refused";
      kind: "invalid_request" | "query_failed" | "read_only" | "not_allowed";
      message: string;
      /** 0-based offset in UTF-16 units of the query, if the grammar reports one. */
      offset?: number;
    }
  /** This grammar rejects the statement; a newer server might accept it. */
  | { status: "unknown"; message: string; offset?: number };

/** `statementFunctions` names further functions whose text arguments are checked as statements. */
export type JudgeRequest = {
  query: string;
  readOnly: boolean;
  statementFunctions: readonly string[];
  /** The statement runs in a session of its user, which keeps transactions, settings and prepared statements. */
  isInSession?: boolean;
};

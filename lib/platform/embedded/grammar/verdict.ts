/** A name in a statement that only the database's catalogue can tell the meaning of. */
export type Use = {
  /** A function or a type in a call, `x.name` for a column or a call, an operator, a type, a relation. */
  kind: "f" | "a" | "o" | "t" | "r";
  /** Null: looked for along the session's path. */
  schema: string | null;
  name: string;
  /** How many values a call gives; null where that is not to be told from the text. */
  args: number | null;
};

/** What the grammar's process says about a statement of PostgreSQL. */
export type Verdict =
  /** `uses` is empty where writing is allowed: nobody asks. */
  | { status: "ok"; returnsRows: boolean; uses: readonly Use[] }
  | {
      status: "refused";
      kind: "invalid_request" | "query_failed" | "read_only" | "not_allowed";
      message: string;
      /** 0-based, in UTF-16 units of the query; only where the grammar names a place. */
      offset?: number;
    }
  /** The grammar does not know it; a newer server might. */
  | { status: "unknown"; message: string; offset?: number };

/** `statementFunctions` are such functions beyond the built-in ones, whose text arguments are judged as statements. */
export type JudgeRequest = { query: string; readOnly: boolean; statementFunctions: readonly string[] };

import { constants } from "node:sqlite";
import {
  OWN_FILE_MESSAGE,
  OWN_TRANSACTION_MESSAGE,
  READ_ONLY_MESSAGE,
} from "../../../../base/sql/statement-messages.ts";
import { StatementFailure } from "../failures.ts";
import { ALLOWED_FUNCTIONS, INTERNAL_FUNCTIONS, MODULES, PRAGMAS, READ_PRAGMAS } from "./names.ts";

/*
 * SQLite calls the authoriser before a statement may read a column, call a function, write a table or reach another
 * file (its page "Compile-Time Authorization Callbacks"). The calls come from SQLite's own parser, so the spelling of
 * the text does not matter. The lists are allow-lists: features of a newer SQLite stay refused until they are reviewed.
 */

const SETTINGS = "Settings can't be changed because each statement runs in a new session.";

const WRITING: ReadonlySet<number> = new Set([
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_DELETE,
  constants.SQLITE_CREATE_INDEX,
  constants.SQLITE_CREATE_TABLE,
  constants.SQLITE_CREATE_TRIGGER,
  constants.SQLITE_CREATE_VIEW,
  constants.SQLITE_CREATE_VTABLE,
  constants.SQLITE_DROP_INDEX,
  constants.SQLITE_DROP_TABLE,
  constants.SQLITE_DROP_TRIGGER,
  constants.SQLITE_DROP_VIEW,
  constants.SQLITE_DROP_VTABLE,
  constants.SQLITE_ALTER_TABLE,
  constants.SQLITE_REINDEX,
  constants.SQLITE_ANALYZE,
]);
/** Actions on temporary objects, which belong to the session and end with it. */
const TEMPORARY: ReadonlySet<number> = new Set([
  constants.SQLITE_CREATE_TEMP_INDEX,
  constants.SQLITE_CREATE_TEMP_TABLE,
  constants.SQLITE_CREATE_TEMP_TRIGGER,
  constants.SQLITE_CREATE_TEMP_VIEW,
  constants.SQLITE_DROP_TEMP_INDEX,
  constants.SQLITE_DROP_TEMP_TABLE,
  constants.SQLITE_DROP_TEMP_TRIGGER,
  constants.SQLITE_DROP_TEMP_VIEW,
]);

/** Decides about one statement at a time; see `prepare` and `run`. */
export class Authorizer {
  readonly #readOnlyFile: boolean;
  /** Whether statements may control transactions, and leave temporary objects. */
  readonly isManual: boolean;
  #readOnly = true;
  #isRunning = false;
  #refusal: StatementFailure | null = null;
  #isTemporary = false;
  #mayTransact = false;

  /** @param readOnlyFile true when nothing on this connection may write, regardless of a statement's permission */
  constructor(readOnlyFile: boolean, isManual = false) {
    this.#readOnlyFile = readOnlyFile;
    this.isManual = isManual;
  }

  /** Reason why this authoriser refused the current statement; null when it did not. */
  get refusal(): StatementFailure | null {
    return this.#refusal;
  }

  /** True when the current statement created or changed something that would outlive it in the session. */
  get leavesTraces(): boolean {
    return this.#isTemporary && !this.isManual;
  }

  /** Prepares for a new statement. */
  prepare(readOnly: boolean): void {
    this.#readOnly = readOnly || this.#readOnlyFile;
    this.#isRunning = false;
    this.#refusal = null;
    this.#isTemporary = false;
    this.#mayTransact = false;
  }

  /**
   * Prepares for a transaction of the server's own. It may begin and end a transaction, and is otherwise checked like
   * any other statement.
   */
  prepareTransaction(): void {
    this.prepare(false);
    this.#mayTransact = true;
  }

  /** Marks the statement as running: from now on SQLite asks about its own internal steps, such as those of VACUUM. */
  run(): void {
    this.#isRunning = true;
  }

  /** Callback for `setAuthorizer`. */
  readonly decide = (action: number, first: string | null, second: string | null): number => {
    const refusal = this.#judge(action, first, second);
    if (refusal === null) return constants.SQLITE_OK;
    this.#refusal ??= refusal;
    return constants.SQLITE_DENY;
  };

  #judge(action: number, first: string | null, second: string | null): StatementFailure | null {
    switch (action) {
      case constants.SQLITE_SELECT:
      case constants.SQLITE_RECURSIVE:
        return null;
      case constants.SQLITE_READ:
        return judgeTable(first ?? "");
      case constants.SQLITE_FUNCTION:
        return judgeFunction(second ?? "");
      case constants.SQLITE_PRAGMA:
        return judgePragma(first ?? "", second);
      case constants.SQLITE_ATTACH:
        // A running VACUUM attaches an unnamed file. A statement's own ATTACH is checked before it runs.
        return this.#isRunning && first === "" && !this.#readOnly ? null : refused(OWN_FILE_MESSAGE);
      case constants.SQLITE_TRANSACTION:
        return this.#isRunning || this.#mayTransact || this.isManual ? null : refused(OWN_TRANSACTION_MESSAGE);
      case constants.SQLITE_SAVEPOINT:
        return this.isManual ? null : refused(OWN_TRANSACTION_MESSAGE);
      case constants.SQLITE_CREATE_VTABLE:
        return MODULES.has((second ?? "").toLowerCase()) ? this.#judgeWrite() : refused(moduleMessage(second ?? ""));
    }
    if (TEMPORARY.has(action)) this.#isTemporary = true;
    return WRITING.has(action) || TEMPORARY.has(action) ? this.#judgeWrite() : refused(OWN_FILE_MESSAGE);
  }

  #judgeWrite(): StatementFailure | null {
    return this.#readOnly ? new StatementFailure("read_only", READ_ONLY_MESSAGE) : null;
  }
}

/** PRAGMAs can be read as tables, such as `pragma_table_info`. */
function judgeTable(table: string): StatementFailure | null {
  const name = table.toLowerCase();
  const pragma = /^pragma_(.+)$/.exec(name)?.[1];
  const isKnown = pragma === undefined || PRAGMAS.has(pragma) || READ_PRAGMAS.has(pragma);
  return isKnown && name !== "sqlite_dbpage"
    ? null
    : refused(`${name.slice(0, 60)} is not allowed. ${pragma === undefined ? OWN_FILE_MESSAGE : SETTINGS}`);
}

function judgeFunction(name: string): StatementFailure | null {
  if (ALLOWED_FUNCTIONS.has(name.toLowerCase()) || INTERNAL_FUNCTIONS.has(name)) return null;
  return refused(`Function ${name.toLowerCase().slice(0, 60)} is not allowed. ${OWN_FILE_MESSAGE}`);
}

function judgePragma(given: string, value: string | null): StatementFailure | null {
  const name = given.toLowerCase();
  if (PRAGMAS.has(name) || (READ_PRAGMAS.has(name) && value === null)) return null;
  return refused(`PRAGMA ${name.slice(0, 60)} is not allowed. ${SETTINGS}`);
}

function moduleMessage(module: string): string {
  return `Module ${module.slice(0, 60)} is not allowed. ${OWN_FILE_MESSAGE}`;
}

function refused(message: string): StatementFailure {
  return new StatementFailure("not_allowed", message);
}

/**
 * SQL modes that do not change tokenisation: an allow-list, so that a mode of a later version is off until reviewed.
 * ANSI_QUOTES, NO_BACKSLASH_ESCAPES, IGNORE_SPACE, ORACLE and similar modes are excluded.
 */
const HARMLESS_MODES = new Set([
  ...["ALLOW_INVALID_DATES", "EMPTY_STRING_IS_NULL", "ERROR_FOR_DIVISION_BY_ZERO", "HIGH_NOT_PRECEDENCE"],
  ...["IGNORE_BAD_TABLE_OPTIONS", "NO_AUTO_CREATE_USER", "NO_AUTO_VALUE_ON_ZERO", "NO_DIR_IN_CREATE"],
  ...["NO_ENGINE_SUBSTITUTION", "NO_FIELD_OPTIONS", "NO_KEY_OPTIONS", "NO_TABLE_OPTIONS", "NO_UNSIGNED_SUBTRACTION"],
  ...["NO_ZERO_DATE", "NO_ZERO_IN_DATE", "ONLY_FULL_GROUP_BY", "PAD_CHAR_TO_FULL_LENGTH", "PIPES_AS_CONCAT"],
  ...["REAL_AS_FLOAT", "SIMULTANEOUS_ASSIGNMENT", "STRICT_ALL_TABLES", "STRICT_TRANS_TABLES"],
  ...["TIME_ROUND_FRACTIONAL", "TIME_TRUNCATE_FRACTIONAL", "TRADITIONAL"],
]);

/** Returns the modes of a `sql_mode` that a session keeps. */
export function harmlessModes(sqlMode: string): string {
  return modesOf(sqlMode)
    .filter((mode) => HARMLESS_MODES.has(mode))
    .join(",");
}

/** Returns whether a text that was stored under this `sql_mode` is parsed as in our sessions. */
export function isHarmlessMode(sqlMode: string): boolean {
  return modesOf(sqlMode).every((mode) => HARMLESS_MODES.has(mode));
}

function modesOf(sqlMode: string): string[] {
  return sqlMode.split(",").filter((mode) => mode !== "");
}

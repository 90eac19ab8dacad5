/** Maximum number of columns in a result. PostgreSQL allows 1,664, MySQL 4,096; more would help no one. */
export const RESULT_COLUMNS_MAX = 5000;
/** Maximum total length of all column names: each row of a JSON answer repeats them. */
export const COLUMN_NAMES_CHARS_MAX = 1_000_000;

/** Returns a message about the width of a result; null if it is within the limits. */
export function columnLimitProblem(columnCount: number, nameChars: number): string | null {
  if (columnCount > RESULT_COLUMNS_MAX) {
    const [count, max] = [columnCount, RESULT_COLUMNS_MAX].map((each) => each.toLocaleString("en"));
    return `The result has ${count} columns, and at most ${max} are allowed. Select fewer columns.`;
  }
  if (nameChars > COLUMN_NAMES_CHARS_MAX) {
    return `The names of the result's columns are too long: ${nameChars.toLocaleString("en")} characters, and at most ${COLUMN_NAMES_CHARS_MAX.toLocaleString("en")} are allowed. Give the columns shorter names.`;
  }
  return null;
}

/** Returns the message for columns that are known by name. */
export function namesLimitProblem(fields: readonly { name: string }[]): string | null {
  return columnLimitProblem(
    fields.length,
    fields.reduce((sum, { name }) => sum + name.length, 0),
  );
}

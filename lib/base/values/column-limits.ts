/** Columns that a result may have. PostgreSQL has at most 1,664, MySQL 4,096; naming and drawing more helps no one. */
export const RESULT_COLUMNS_MAX = 5000;
/** All column names together, in characters: they travel with each row of a JSON answer. */
export const COLUMN_NAMES_CHARS_MAX = 1_000_000;

/** Returns what is wrong with the width of a result, as text for its reader; null when it is within the limits. */
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

/** Returns the same for columns that are known by name. */
export function namesLimitProblem(fields: readonly { name: string }[]): string | null {
  return columnLimitProblem(
    fields.length,
    fields.reduce((sum, { name }) => sum + name.length, 0),
  );
}

/* Limits of a pivot table, beyond which groups can't be compared on one page. */

export const PIVOT_ROWS_MAX = 3;
export const PIVOT_COLUMNS_MAX = 2;
export const PIVOT_MEASURES_MAX = 10;
/** Maximum number of groups of all row fields. A table in a card shows some 20 at once. */
export const PIVOT_ROW_GROUPS_MAX = 500;
export const PIVOT_ROW_GROUPS_USUAL = 100;
/** Four years of months; wider tables are read by filtering. */
export const PIVOT_COLUMN_GROUPS_MAX = 50;

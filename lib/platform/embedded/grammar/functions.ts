/**
 * Functions of PostgreSQL and its extension tablefunc that run their text arguments as statements. Those statements are
 * checked like the outer one. The numbers are the 0-based positions of these arguments.
 */
export const STATEMENT_FUNCTIONS: ReadonlyMap<string, readonly number[]> = new Map([
  ["query_to_xml", [0]],
  ["query_to_xmlschema", [0]],
  ["query_to_xml_and_xmlschema", [0]],
  ["ts_stat", [0]],
  ["ts_rewrite", [1]],
  ["crosstab", [0, 1]],
  ["crosstab2", [0]],
  ["crosstab3", [0]],
  ["crosstab4", [0]],
]);

/** The function of PostgreSQL that returns a setting by its name. */
export const SETTING_FUNCTION = "current_setting";

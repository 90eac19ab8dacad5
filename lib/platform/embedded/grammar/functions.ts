/**
 * Functions of PostgreSQL and of its extension tablefunc whose text arguments are statements that they run: those are
 * judged like the one around them. The numbers are the places of those arguments, from 0.
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

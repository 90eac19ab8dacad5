/** Keywords for highlighting that are never a table's alias. Excludes functions. */
export const SQL_KEYWORDS: ReadonlySet<string> = new Set(
  (
    "all alter analyze and anti any as asc asof begin between by call case cast check collate column commit constraint copy " +
    "create cross cube current_date current_time current_timestamp cursor database date default delete desc describe " +
    "distinct do drop else end escape except exclude exists explain false fetch filter first following for foreign from full function " +
    "glob grant group grouping having if ilike in index inner insert intersect interval into is isnull join key last " +
    "lateral left like limit materialized merge natural next not notnull null nulls of offset on only or order outer over partition " +
    "pivot pragma preceding primary qualify range recursive references returning revoke right rollback rollup row rows " +
    "savepoint schema select semi set show similar some summarize table tablesample temp temporary then time timestamp to " +
    "transaction trigger true truncate unbounded union unique unnest unpivot update using vacuum values view when where window with " +
    "within without"
  ).split(" "),
);

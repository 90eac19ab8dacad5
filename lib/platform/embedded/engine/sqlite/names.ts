/**
 * Names that statements may use on an SQLite file. These are allow-lists: anything else is refused until it is
 * reviewed.
 */

/** PRAGMAs that only return metadata of the file. Their arguments are a table's or index's name, or a number. */
export const PRAGMAS: ReadonlySet<string> = new Set([
  ...["table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list"],
  ...["foreign_key_check", "collation_list", "function_list", "module_list", "pragma_list"],
  ...["compile_options", "integrity_check", "quick_check"],
]);

/** PRAGMAs that return a value without an argument and set it with one. */
export const READ_PRAGMAS: ReadonlySet<string> = new Set([
  ...["user_version", "application_id", "schema_version", "data_version", "encoding", "page_size", "page_count"],
  ...["freelist_count", "foreign_keys", "auto_vacuum", "cache_size", "synchronous"],
]);

/** Virtual tables that keep their rows in the file itself. */
export const MODULES: ReadonlySet<string> = new Set([
  ...["fts3", "fts4", "fts5", "fts5vocab", "fts4aux", "rtree", "rtree_i32", "geopoly"],
]);

/** Functions that are always refused: they load code, or write into this process's log. */
export const REFUSED_FUNCTIONS: ReadonlySet<string> = new Set(["load_extension", "fts3_tokenizer", "sqlite_log"]);

/** Functions that SQLite calls internally in ALTER TABLE; no statement can name them. */
export const INTERNAL_FUNCTIONS: ReadonlySet<string> = new Set([
  ...["sqlite_rename_column", "sqlite_rename_quotefix", "sqlite_rename_table", "sqlite_rename_test"],
  ...["sqlite_drop_column", "sqlite_drop_constraint", "sqlite_add_constraint", "sqlite_find_constraint", "sqlite_fail"],
]);

/** Functions that use only their arguments and the file itself. */
export const ALLOWED_FUNCTIONS: ReadonlySet<string> = new Set(
  `
  -> ->> abs acos acosh asin asinh atan atan2 atanh avg bm25 ceil ceiling changes char coalesce concat concat_ws cos cosh
  count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp first_value floor
  format fts5 fts5_get_locale fts5_insttoken fts5_locale fts5_source_id geopoly_area geopoly_bbox geopoly_blob
  geopoly_ccw geopoly_contains_point geopoly_debug geopoly_group_bbox geopoly_json geopoly_overlap geopoly_regular
  geopoly_svg geopoly_within geopoly_xform glob group_concat hex highlight if ifnull iif instr json json_array
  json_array_insert json_array_length json_each json_error_position json_extract json_group_array json_group_object
  json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set json_tree json_type
  json_valid jsonb jsonb_array jsonb_array_insert jsonb_each jsonb_extract jsonb_group_array jsonb_group_object
  jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set jsonb_tree julianday lag last_insert_rowid
  last_value lead length like likelihood likely ln log log10 log2 lower ltrim match matchinfo max median min mod
  nth_value ntile nullif octet_length offsets optimize percent_rank percentile percentile_cont percentile_disc pi pow
  power printf quote radians random randomblob rank replace round row_number rtreecheck rtreedepth rtreenode rtrim sign
  sin sinh snippet sqlite_compileoption_get sqlite_compileoption_used sqlite_source_id sqlite_version sqrt strftime
  string_agg substr substring subtype sum tan tanh time timediff total total_changes trim trunc typeof unhex unicode
  unistr unistr_quote unixepoch unlikely upper zeroblob
  `
    .trim()
    .split(/\s+/),
);

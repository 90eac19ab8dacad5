/**
 * DuckDB functions that statements may use in FROM. This is an allow-list: a function that a newer DuckDB adds stays
 * refused until someone has reviewed it (T40). User-defined functions are not listed, because the plan check covers
 * their bodies.
 */
export const ALLOWED_TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  "generate_series",
  "histogram",
  "histogram_values",
  "icu_calendar_names",
  "json_each",
  "json_tree",
  "pg_timezone_names",
  "range",
  "repeat",
  "repeat_row",
  "seq_scan",
  "summary",
  "test_all_types",
  "test_vector_types",
  "unnest",
  // Metadata of the database, used by information_schema and the pg_catalog views.
  "collations",
  "database_size",
  "duckdb_columns",
  "duckdb_constraints",
  "duckdb_dependencies",
  "duckdb_functions",
  "duckdb_indexes",
  "duckdb_keywords",
  "duckdb_memory",
  "duckdb_optimizers",
  "duckdb_schemas",
  "duckdb_sequences",
  "duckdb_tables",
  "duckdb_types",
  "duckdb_variables",
  "duckdb_views",
  "functions",
  "platform",
  "pragma_collations",
  "pragma_database_size",
  "pragma_metadata_info",
  "pragma_platform",
  "pragma_show",
  "pragma_storage_info",
  "pragma_table_info",
  "pragma_user_agent",
  "pragma_version",
  "show",
  "show_databases",
  "show_tables",
  "show_tables_expanded",
  "storage_info",
  "table_info",
  "user_agent",
  "version",
]);

/**
 * Functions that reveal the file's location. Statements may not name them. Plans may contain them, because DuckDB's own
 * views use them but omit the path.
 */
export const TELLING_FUNCTIONS: ReadonlySet<string> = new Set([
  "current_setting",
  "database_list",
  "duckdb_databases",
  "duckdb_settings",
]);

/**
 * DuckDB's own views that statements may read. Views need no bracket after their name. The omitted views reveal the
 * file's location, or statements of others.
 */
export const ALLOWED_VIEWS: ReadonlySet<string> = new Set([
  // information_schema
  ...["character_sets", "check_constraints", "columns", "constraint_column_usage", "constraint_table_usage"],
  ...["key_column_usage", "referential_constraints", "schemata", "table_constraints", "tables", "views"],
  // main
  ...["duckdb_columns", "duckdb_constraints", "duckdb_indexes", "duckdb_schemas", "duckdb_tables", "duckdb_types"],
  ...["duckdb_views", "sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"],
  // pg_catalog
  ...["pg_am", "pg_attrdef", "pg_attribute", "pg_class", "pg_collation", "pg_constraint", "pg_database", "pg_depend"],
  ...["pg_description", "pg_enum", "pg_index", "pg_indexes", "pg_namespace", "pg_proc", "pg_sequence", "pg_sequences"],
  ...["pg_tables", "pg_tablespace", "pg_type", "pg_views"],
]);

/** Scalar functions that access something outside the file, or would in another build of DuckDB. */
export const REFUSED_SCALAR_FUNCTIONS: ReadonlySet<string> = new Set([
  "getenv",
  "read_blob",
  "read_text",
  "json_execute_serialized_sql",
  "write_log",
]);

/** PRAGMAs that only return metadata. All others change or run something. */
export const ALLOWED_PRAGMAS: ReadonlySet<string> = new Set([
  "collations",
  "database_size",
  "functions",
  "metadata_info",
  "platform",
  "show",
  "show_databases",
  "show_tables",
  "show_tables_expanded",
  "storage_info",
  "table_info",
  "user_agent",
  "version",
]);

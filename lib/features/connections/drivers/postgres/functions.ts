/*
 * The functions of PostgreSQL and its extensions that a read-only connection may call (T42, T50). A function that
 * declares itself read-only (STABLE, IMMUTABLE) is allowed, with the exceptions below. A VOLATILE one is allowed if
 * listed here.
 */

/** Volatile functions of pg_catalog without side effects: they return values or facts about this server. */
export const VOLATILE_ALLOWED = [
  ...["random", "random_normal", "gen_random_uuid", "uuidv4", "uuidv7", "clock_timestamp", "timeofday"],
  // Limited by the statement's timeout.
  ...["pg_sleep", "pg_sleep_for", "pg_sleep_until"],
  ...["currval", "lastval", "pg_sequence_last_value", "current_query"],
  // The methods of TABLESAMPLE.
  ...["bernoulli", "system"],
  ...["pg_relation_size", "pg_table_size", "pg_indexes_size", "pg_total_relation_size"],
  ...["pg_database_size", "pg_tablespace_size"],
  ...["pg_partition_ancestors", "pg_partition_tree"],
  ...["pg_is_in_recovery", "pg_is_wal_replay_paused", "pg_get_wal_replay_pause_state", "pg_current_wal_lsn"],
  ...["pg_current_wal_insert_lsn", "pg_current_wal_flush_lsn", "pg_last_wal_receive_lsn", "pg_last_wal_replay_lsn"],
  ...["pg_last_xact_replay_timestamp", "pg_show_replication_origin_status", "pg_stat_get_recovery_prefetch"],
  ...["pg_lock_status", "pg_blocking_pids", "pg_safe_snapshot_blocking_pids", "pg_prepared_xact"],
  ...["pg_jit_available", "pg_notification_queue_usage", "pg_stat_have_stats"],
  ...["pg_collation_actual_version", "pg_database_collation_actual_version"],
  ...["txid_status", "pg_xact_status", "pg_xact_commit_timestamp", "pg_xact_commit_timestamp_origin"],
  ...["pg_last_committed_xact", "pg_get_multixact_members"],
  ...["pg_stat_get_xact_numscans", "pg_stat_get_xact_tuples_returned", "pg_stat_get_xact_tuples_fetched"],
  ...["pg_stat_get_xact_tuples_inserted", "pg_stat_get_xact_tuples_updated", "pg_stat_get_xact_tuples_deleted"],
  ...["pg_stat_get_xact_tuples_hot_updated", "pg_stat_get_xact_tuples_newpage_updated"],
  ...["pg_stat_get_xact_blocks_fetched", "pg_stat_get_xact_blocks_hit", "pg_stat_get_xact_function_calls"],
  ...["pg_stat_get_xact_function_total_time", "pg_stat_get_xact_function_self_time"],
] as const;

/** The same for extensions, as `extension.function`; applies only to their functions in C. */
export const EXTENSION_VOLATILE_ALLOWED = [
  ...["uuid-ossp.uuid_generate_v1", "uuid-ossp.uuid_generate_v1mc", "uuid-ossp.uuid_generate_v4"],
  ...["pgcrypto.gen_random_bytes", "pgcrypto.gen_random_uuid", "pgcrypto.gen_salt"],
  ...["pgcrypto.pgp_sym_encrypt", "pgcrypto.pgp_sym_encrypt_bytea"],
  ...["pgcrypto.pgp_pub_encrypt", "pgcrypto.pgp_pub_encrypt_bytea"],
  ...["tablefunc.normal_rand", "tsm_system_rows.system_rows", "tsm_system_time.system_time"],
  ...["intagg.int_agg_state", "intagg.int_agg_final_array"],
  ...["pg_stat_statements.pg_stat_statements", "pg_stat_statements.pg_stat_statements_info"],
  ...["pg_buffercache.pg_buffercache_pages", "pg_freespacemap.pg_freespace"],
] as const;

/**
 * C functions of extensions that declare themselves read-only, but are not: this one is a setting that nothing resets.
 */
export const EXTENSION_STABLE_REFUSED = ["isn.isn_weak"] as const;

/** Functions of pg_catalog that declare themselves read-only, but do more. */
export const STABLE_REFUSED = [
  // They use up a transaction id.
  ...["txid_current", "pg_current_xact_id"],
  // They query relations internally, including views that were not checked.
  ...["table_to_xml", "table_to_xmlschema", "table_to_xml_and_xmlschema"],
  ...["schema_to_xml", "schema_to_xmlschema", "schema_to_xml_and_xmlschema"],
  ...["database_to_xml", "database_to_xmlschema", "database_to_xml_and_xmlschema"],
  // They take the id or the name of a type and run its checks.
  ...["domain_in", "array_in", "record_in", "range_in", "multirange_in", "pg_input_is_valid", "pg_input_error_info"],
  // It runs the partitioning functions of a table whose id it takes.
  "satisfies_hash_partition",
  // The first loads a library of the server; the second returns its program paths.
  ...["fmgr_c_validator", "pg_config"],
] as const;

/**
 * C entry points that run a text argument, under any SQL name. They are allowed once the text was checked. Those of
 * pg_catalog are volatile, those of tablefunc are not.
 */
export const STATEMENT_SYMBOLS = [
  ...["query_to_xml", "query_to_xmlschema", "query_to_xml_and_xmlschema"],
  ...["ts_stat1", "ts_stat2", "tsquery_rewrite_query"],
  ...["crosstab", "crosstab_hash"],
] as const;

/** C entry points that assemble a statement from arguments, which cannot be checked beforehand. */
export const COMPOSING_SYMBOLS = ["connectby_text", "connectby_text_serial", "xpath_table"] as const;

/**
 * Catalogue relations that are secret despite their privileges: they contain passwords, or show the caller's own. Any
 * other built-in relation is secret when PUBLIC may not select from it.
 */
export const SECRET_RELATIONS = [
  ...["pg_authid", "pg_shadow", "pg_user_mapping", "pg_user_mappings", "pg_subscription"],
  // Of information_schema.
  ...["user_mapping_options", "_pg_user_mappings"],
  // Many wrappers take a password as an option of the server or the table. information_schema.foreign_servers and
  // foreign_tables, which list both without options, stay allowed.
  ...["pg_foreign_server", "_pg_foreign_servers", "foreign_server_options"],
  ...["pg_foreign_table", "_pg_foreign_tables", "foreign_table_options", "_pg_foreign_table_columns"],
] as const;

/** Built-in views with values of every column that the caller may read, including password hashes. */
export const STATISTICS_VIEWS = ["pg_stats", "pg_stats_ext", "pg_stats_ext_exprs"] as const;

/** The built-in view of settings. */
export const SETTINGS_VIEW = "pg_settings";

/** C entry points of the functions that return settings: all of them, and one by its name. */
export const SETTING_LIST_SYMBOLS = ["show_all_settings"] as const;
export const SETTING_SYMBOLS = ["show_config_by_name", "show_config_by_name_missing_ok"] as const;

/**
 * Settings with passwords of other servers or of keys, and the values that have one. PostgreSQL shows them to superusers
 * and members of pg_read_all_settings (GUC_SUPERUSER_ONLY); the other settings that it hides are file names and
 * libraries. A connection string has a password as a parameter or in a URI, or names a file instead. The server itself
 * masks passwords in pg_stat_wal_receiver.
 */
export const SECRET_SETTINGS: Readonly<Record<string, string>> = {
  primary_conninfo: "passw|secret|_key|://",
  ssl_passphrase_command: ".",
};

/** A word of a function's text that reads a setting without a function. */
export const SHOW_WORD = "show";

/** Extensions whose foreign tables read another database server, not files or programs of this one. */
export const FOREIGN_ALLOWED = ["postgres_fdw", "mysql_fdw", "oracle_fdw", "tds_fdw", "mongo_fdw"] as const;

/** Predefined roles of PostgreSQL without rights beyond tables. */
export const HARMLESS_ROLES = [
  "pg_database_owner",
  "pg_read_all_data",
  "pg_write_all_data",
  "pg_use_reserved_connections",
] as const;

/**
 * Words in a function's text that make it impossible to analyse, or let it change its role. Everything else is reached
 * through a name, which the catalogue resolves.
 */
export const OPAQUE_WORDS = [
  ...["execute", "do", "call", "prepare", "set", "reset", "discard", "copy", "load", "listen", "notify", "import"],
] as const;

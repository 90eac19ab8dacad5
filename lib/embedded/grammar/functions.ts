/*
 * Functions of PostgreSQL that a read-only transaction lets through although they reach beyond reading tables (T42, T50):
 * the server's files and programs, other servers, other sessions, settings, counters, locks.
 */

/** Whole families, by how their names begin. */
const REFUSED_PREFIXES = [
  "dblink",
  "lo_",
  "pg_advisory_",
  "pg_try_advisory_",
  "pg_ls_",
  "pg_file_",
  "pg_backup_",
  "pg_start_backup",
  "pg_stop_backup",
  "pg_replication_",
  "pg_logical_",
  "pg_wal_replay_",
  "pg_stat_reset",
  "pg_stat_statements_reset",
  "pg_restore_",
  "pg_clear_",
  "pg_sync_replication_",
  "pg_prewarm",
  "autoprewarm_",
  "postgres_fdw_disconnect",
  "heap_force_",
] as const;

const REFUSED = new Set([
  "loread",
  "lowrite",
  "nextval",
  "setval",
  "set_config",
  "setseed",
  "pg_notify",
  "pg_cancel_backend",
  "pg_terminate_backend",
  "pg_reload_conf",
  "pg_rotate_logfile",
  "pg_logdir_ls",
  "pg_log_backend_memory_contexts",
  "pg_read_file",
  "pg_read_binary_file",
  "pg_stat_file",
  "pg_current_logfile",
  "pg_hba_file_rules",
  "pg_ident_file_mappings",
  "pg_show_all_file_settings",
  "pg_config",
  "pg_switch_wal",
  "pg_switch_xlog",
  "pg_create_restore_point",
  "pg_create_physical_replication_slot",
  "pg_create_logical_replication_slot",
  "pg_copy_physical_replication_slot",
  "pg_copy_logical_replication_slot",
  "pg_drop_replication_slot",
  "pg_export_snapshot",
  "pg_promote",
  "pg_import_system_collations",
  "pg_extension_config_dump",
  "pg_nextoid",
  "brin_summarize_new_values",
  "brin_summarize_range",
  "brin_desummarize_range",
  "gin_clean_pending_list",
  "load_file",
  "xslt_process",
  "xpath_table",
  "connectby",
  "cursor_to_xml",
  "cursor_to_xmlschema",
  "database_to_xml",
  "http",
  "http_get",
  "http_post",
  "http_put",
  "http_delete",
]);

/** Their text argument is a statement that they run: it is judged like the one around it. */
export const STATEMENT_FUNCTIONS: ReadonlySet<string> = new Set([
  "query_to_xml",
  "query_to_xmlschema",
  "query_to_xml_and_xmlschema",
  "ts_stat",
  "ts_rewrite",
  "crosstab",
  "crosstab2",
  "crosstab3",
  "crosstab4",
  "crosstab_hash",
]);

/** Views on files of the server's configuration. */
const REFUSED_RELATIONS: ReadonlySet<string> = new Set([
  "pg_hba_file_rules",
  "pg_ident_file_mappings",
  "pg_file_settings",
]);

/** @param name without its schema, as the parser gives it */
export function isRefusedFunction(name: string): boolean {
  return REFUSED.has(name) || REFUSED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

export function isRefusedRelation(name: string): boolean {
  return REFUSED_RELATIONS.has(name);
}

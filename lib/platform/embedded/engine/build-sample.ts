import { DuckDBInstance } from "@duckdb/node-api";
import { ENGINE_MEMORY_LIMIT, ENGINE_THREADS } from "./limits.ts";
import { toSampleSql } from "./sample-sql.ts";

/**
 * Writes the sample shop into a new file, complete and without a separate log.
 * @param lastDay ISO date of the newest orders
 */
export async function buildSample(file: string, lastDay: string): Promise<void> {
  const instance = await DuckDBInstance.create(file, {
    memory_limit: ENGINE_MEMORY_LIMIT,
    threads: String(ENGINE_THREADS),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  for (const statement of toSampleSql(lastDay)) await connection.run(statement);
  await connection.run("CHECKPOINT");
  connection.closeSync();
  instance.closeSync();
}

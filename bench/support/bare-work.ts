import { Pool } from "pg";
import { database } from "../../lib/platform/db/client";
import { databaseReady } from "../../lib/platform/db/ready";

const pools = new Map<string, Pool>();

/**
 * Runs the minimum work of any query through the API: one look-up in the database, and one statement on an open
 * connection, both with the bare libraries. Skips authentication and validation.
 */
export async function bareWork(uri: string): Promise<unknown[]> {
  await databaseReady();
  await database().collection("sessions").findOne({ sessionToken: "nobody's" });
  const pool = pools.get(uri) ?? new Pool({ connectionString: uri });
  pools.set(uri, pool);
  return (await pool.query("select 1 as a")).rows;
}

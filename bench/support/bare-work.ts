import { Pool } from "pg";
import { database } from "../../lib/platform/db/client";
import { databaseReady } from "../../lib/platform/db/ready";

const pools = new Map<string, Pool>();

/**
 * What no query through the API can do without: one look-up in the store, and one statement on a line that is there,
 * both by the bare libraries. Nobody is asked who they are and nothing is judged.
 */
export async function bareWork(uri: string): Promise<unknown[]> {
  await databaseReady();
  await database().collection("sessions").findOne({ sessionToken: "nobody's" });
  const pool = pools.get(uri) ?? new Pool({ connectionString: uri });
  pools.set(uri, pool);
  return (await pool.query("select 1 as a")).rows;
}

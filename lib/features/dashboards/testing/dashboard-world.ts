import { afterAll } from "vitest";
import { takeOwnDataDir } from "@/lib/features/connections/drivers/duckdb/testing/open-file";
import { closeDataSources } from "@/lib/features/connections/pool";
import { connectFile } from "@/lib/features/connections/testing/connect-file";
import { writeNow } from "@/lib/features/query/history-writer";
import { closeTables } from "@/lib/features/results/crossfilter/tables";
import { databaseReady } from "@/lib/platform/db/ready";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedPerson } from "@/test/seed";
import { authorOf, type DashboardAuthor } from "./dashboard-author";

/** Somebody with a workspace of their own, and a DuckDB file in it that may be written. */
export type DashboardWorld = {
  owner: Person;
  author: DashboardAuthor;
  connectionId: string;
  /** Carries out a statement in the file. */
  run: (query: string) => Promise<void>;
};

/**
 * Gives this test file a database and a data folder of its own; both go when it has ended. Call it before anything of the
 * product is used, and what it gives in `beforeAll`.
 * @param name of the connection
 */
export function takeDashboardWorld(name = "shop"): () => Promise<DashboardWorld> {
  const dataDir = takeOwnDataDir();
  const own = takeOwnDatabase();
  afterAll(async () => {
    await closeTables();
    await closeDataSources();
    await writeNow();
    await own.drop();
    dataDir.remove();
  });
  return async () => {
    await databaseReady();
    const owner = await seedPerson("Owner");
    const connectionId = await connectFile(owner, name);
    const path = `/api/workspaces/${owner.workspaceId}/databases/${connectionId}/execute`;
    return {
      owner,
      author: authorOf(owner, owner.workspaceId),
      connectionId,
      run: async (query) => {
        const answer = await call("POST", path, { cookie: owner.cookie, body: { query } });
        if (answer.status !== 200) throw new Error(answer.text);
      },
    };
  };
}

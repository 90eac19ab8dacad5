import { afterAll } from "vitest";
import { forgetEnv } from "@/lib/platform/env";
import { resetServerContext } from "@/lib/platform/process/server-context";

/*
 * Integration tests of one process share its loaded modules. Each file starts with the settings of the process and with
 * a new server context, as a new server would.
 */

/** Modules fill these while they are loaded, which happens once; threads know nothing of a test file. */
const KEPT = [
  ...(["itemKinds", "sealedFields"] as const),
  ...(["hashingThreads", "hashingQueue", "statementThreads", "postgresGrammar", "parquetThread"] as const),
];
const given = { ...process.env };
forgetEnv();

afterAll(async () => {
  await resetServerContext(KEPT);
  for (const name of Object.keys(process.env)) if (!(name in given)) delete process.env[name];
  Object.assign(process.env, given);
});

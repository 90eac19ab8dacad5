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
// What the file before left behind may have filled the context again, with its settings.
await resetServerContext(KEPT);

// Work that the file before left behind may read the settings before this file has set its own: those hold at once.
const variables = process.env;
process.env = new Proxy(variables, {
  set: (_target, name: string, value) => {
    variables[name] = value;
    forgetEnv();
    return true;
  },
  deleteProperty: (_target, name: string) => {
    delete variables[name];
    forgetEnv();
    return true;
  },
});

afterAll(async () => {
  await resetServerContext(KEPT);
  process.env = variables;
  for (const name of Object.keys(process.env)) if (!(name in given)) delete process.env[name];
  Object.assign(process.env, given);
});

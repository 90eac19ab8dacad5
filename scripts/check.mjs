import { fileURLToPath } from "node:url";
import { main } from "./support/run.mjs";
import { ensureRuntime } from "./support/runtime.mjs";

/** Runs lint, the language check, layers, types and all but the heavy unit tests, before each commit. */
await main(async () => {
  await ensureRuntime(fileURLToPath(import.meta.url), { forTests: true });
  const { runCheck } = await import("./support/suites.mjs");
  const { summary } = await import("./support/report.ts");
  const results = await runCheck(true);
  console.log(`\n${summary(results)}`);
  return results.some((result) => result.failed > 0) ? 1 : 0;
});

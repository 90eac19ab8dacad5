import { ACCUMULATORS } from "../../../lib/platform/embedded/mongo/aggregate/accumulators.ts";
import { STAGES } from "../../../lib/platform/embedded/mongo/aggregate/pipeline.ts";
import { COMMANDS } from "../../../lib/platform/embedded/mongo/commands/table.ts";
import { EXPRESSIONS } from "../../../lib/platform/embedded/mongo/expressions/compile.ts";
import { accumulators } from "./accumulators.ts";
import { conversionOperators } from "./conversions.ts";
import { dateOperators } from "./dates.ts";
import { explain } from "./explain.ts";
import { listOperators } from "./lists.ts";
import { renameCollection } from "./rename-collection.ts";
import { stages } from "./stages.ts";
import { withoutReplicaSet } from "./standalone.ts";
import { valueOperators } from "./values.ts";

/*
 * Adds to the embedded store what statements for users' own MongoDB servers need and the product does not. Tests use the
 * extended store as such a server.
 */
COMMANDS.set("explain", { run: explain, fields: ["verbosity"] });
COMMANDS.set("renameCollection", { run: renameCollection, fields: ["to", "dropTarget"] });
for (const [name, stage] of stages) STAGES.set(name, stage);
for (const [name, accumulator] of accumulators) ACCUMULATORS.set(name, accumulator);
for (const [name, operator] of [...conversionOperators, ...dateOperators, ...listOperators, ...valueOperators])
  EXPRESSIONS.set(name, operator);
if (process.env.STORE_STANDALONE !== undefined) withoutReplicaSet();

import "server-only";
import { z } from "zod";
import type { QuerySuggestion } from "@/lib/base/sql/query-error";
import { toPathText } from "@/lib/base/values/problem-path";
import { AppError } from "@/lib/platform/http/errors";
import { toAppError } from "@/lib/platform/http/to-app-error";
import { log } from "@/lib/platform/log";
import { MODEL_RESULT_BYTES_MAX } from "../limits";
import type { AgentId } from "../schema";
import { appTools } from "./apps";
import { automationTools } from "./automation";
import { connectionTools } from "./connections";
import { chartTools, consoleTools } from "./consoles";
import { dashboardTools } from "./dashboards";
import { flowTools } from "./flows";
import { folderTools } from "./folders";
import { metricTools } from "./metrics";
import { planTools } from "./plans";
import { queryTools } from "./queries";
import type { Tool, ToolContext } from "./tool";

/** All tools, for the agent and for clients of the Model Context Protocol. */
export const TOOLS: readonly Tool[] = [
  ...connectionTools,
  ...queryTools,
  ...consoleTools,
  ...chartTools,
  ...metricTools,
  ...dashboardTools,
  ...appTools,
  ...folderTools,
  ...automationTools,
  ...planTools,
  ...flowTools,
];

export function toolsOf(agent: AgentId): Tool[] {
  return TOOLS.filter(({ agents }) => agents.includes(agent));
}

export function toolNamesOf(agent: AgentId): string[] {
  return toolsOf(agent).map(({ name }) => name);
}

/** Twice the limit for a result's rows: the frame and the names of columns come on top. */
const OUTPUT_BYTES_MAX = 2 * MODEL_RESULT_BYTES_MAX;
const BROKEN = "Internal tool error. Retry once, then report it.";

/**
 * Runs a tool and returns its output.
 * @throws ToolFailure with a message for the model and the user: never a driver's own text, never a secret (T68)
 */
export async function runTool(tool: Tool, context: ToolContext, input: unknown): Promise<unknown> {
  try {
    const output = await tool.run(context, input);
    if (Buffer.byteLength(JSON.stringify(output)) > OUTPUT_BYTES_MAX) {
      throw new AppError("too_large", "The result is too large. Request less.");
    }
    return output;
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    throw new ToolFailure(wordsOf(error, tool.name), { cause: error });
  }
}

/** An error of a tool, in words for the model and the user. */
export class ToolFailure extends Error {}

function wordsOf(thrown: unknown, tool: string): string {
  if (thrown instanceof z.ZodError) {
    const [issue] = thrown.issues;
    return `Invalid input for ${tool}. ${toPathText(issue?.path ?? [])}: ${issue?.message ?? ""}`;
  }
  const error = toAppError(thrown);
  if (error.status < 500) return error.message + placeOf(error);
  if (error.kind !== "internal") return error.message;
  log.error({ err: thrown, tool }, "an agent tool failed");
  return BROKEN;
}

/** Returns the position in the query where the database found the error, and the names that it may mean. */
function placeOf({ details }: AppError): string {
  if (!details || Array.isArray(details)) return "";
  const { line, column, suggestions } = details;
  const parts = [
    ...(typeof line === "number" ? [`line ${line}${typeof column === "number" ? `, column ${column}` : ""}`] : []),
    ...(Array.isArray(suggestions)
      ? [`did you mean ${suggestions.map(({ text }: QuerySuggestion) => text).join(", ")}?`]
      : []),
  ];
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

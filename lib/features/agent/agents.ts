import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import type { AgentId, AgentsAnswer } from "./schema";
import { toolNamesOf } from "./tools/registry";

/** A mode of the agent: its purpose and its tools. */
export type AgentMode = { id: AgentId; name: string; description: string; task: string };

const MODES: readonly AgentMode[] = [
  {
    id: "console",
    name: "Console",
    description: "Answers questions about your data with queries, and saves consoles.",
    task: "You help people query their databases: find the tables, write the query, run it and summarise the result.",
  },
  {
    id: "flow",
    name: "Flow",
    description: "Creates, runs and fixes flows.",
    task: "You help people move data between their connections: inspect flows and their runs, explain failures and set up new flows. You can also query databases.",
  },
];
/** A map, so that names of built-in object properties are not agents (T69). */
const BY_ID: ReadonlyMap<string, AgentMode> = new Map(MODES.map((mode) => [mode.id, mode]));
const DEFAULT: AgentId = "console";

/** @param id default: the default agent @throws AppError `not_found` */
export function getAgentOrThrow(id: string = DEFAULT): AgentMode {
  const mode = BY_ID.get(id);
  if (mode) return mode;
  throw new AppError("not_found", "Unknown agent. See GET /api/agent/agents.");
}

export function listAgents(): AgentsAnswer {
  return {
    agents: MODES.map(({ id, name, description }) => ({
      id,
      name,
      description,
      default: id === DEFAULT,
      tools: toolNamesOf(id),
    })),
  };
}

import type { AgentMessage, AgentPart } from "@/components/agent/chats";
import type { Grant, PlanEffect } from "@/lib/features/agent/schema";
import type { Dashboard } from "@/lib/features/dashboards/schema";

/** One tool call, as the cards read it. A model may send any form, so each field is checked before use. */
export type ToolPart = {
  name: string;
  callId: string;
  state: "running" | "done" | "failed";
  input: Record<string, unknown>;
  output: Record<string, unknown>;
  errorText: string;
};

export type QueryOutput = {
  fields: { name: string; type: string }[];
  rows: Record<string, unknown>[];
  rowCount: number;
  affectedRows: number | null;
  truncated: boolean;
  durationMs: number;
  resultId: string | null;
};

export function toToolPart(part: AgentPart): ToolPart | null {
  if (!part.type.startsWith("tool-") && part.type !== "dynamic-tool") return null;
  const { type, toolName, toolCallId, state, input, output, errorText } = part as Record<string, unknown>;
  return {
    name: typeof toolName === "string" ? toolName : String(type).slice("tool-".length),
    callId: String(toolCallId),
    state: state === "output-available" ? "done" : state === "output-error" ? "failed" : "running",
    input: toRecord(input),
    output: toRecord(output),
    errorText: typeof errorText === "string" ? errorText : "",
  };
}

export function toQueryOutput({ output }: ToolPart): QueryOutput {
  const { fields, rows, rowCount, truncated, affectedRows, durationMs, resultId } = output;
  return {
    fields: (Array.isArray(fields) ? fields : []).map((field) => {
      const { name, type } = toRecord(field);
      return { name: String(name), type: String(type) };
    }),
    rows: (Array.isArray(rows) ? rows : []).map(toRecord),
    rowCount: typeof rowCount === "number" ? rowCount : 0,
    affectedRows: typeof affectedRows === "number" ? affectedRows : null,
    truncated: truncated === true,
    durationMs: typeof durationMs === "number" ? durationMs : 0,
    resultId: typeof resultId === "string" ? resultId : null,
  };
}

export type Plan = {
  sessionId: string;
  /** Undefined in plans of older versions. */
  revision: number | undefined;
  markdown: string;
  asked: Grant[];
  granted: Grant[];
  /** Ids of the objects that the grants are limited to; null for a plan that names none. */
  targets: string[] | null;
  /** Deletions and changes of access. The server has validated them. */
  effects: PlanEffect[];
  /** The dashboard as the plan saves it: the fields that it changes; null for a plan that shows none. */
  dashboard: PlannedDashboard | null;
  status: "pending" | "approved" | "changes_requested" | "cancelled";
  expiresAt: string | null;
};

/** The server has validated the fields before it stored the plan. */
export type PlannedDashboard = Partial<
  Pick<Dashboard, "title" | "description" | "folderId" | "access" | "datasets" | "widgets" | "filters">
> & {
  /** Omitted for a new dashboard. */
  dashboardId?: string;
  version?: number;
};

const STATUSES = ["pending", "approved", "changes_requested", "cancelled"] as const;

/** Returns the plan; null while its id is unknown, and for one that the user was never asked about. */
export function toPlan({ input, output, state }: ToolPart): Plan | null {
  const sessionId = output.agentSessionId ?? input.agentSessionId;
  if (typeof sessionId !== "string" || state === "failed") return null;
  const list = (value: unknown) => (Array.isArray(value) ? (value.map(String) as Grant[]) : []);
  return {
    sessionId,
    revision: typeof input.revision === "number" ? input.revision : undefined,
    markdown: String(input.planMarkdown ?? ""),
    asked: [...new Set(list(input.grants))],
    granted: list(output.grants),
    targets: Array.isArray(input.targets) ? [...new Set(input.targets.map((id) => String(id).toLowerCase()))] : null,
    effects: Array.isArray(input.effects) ? (input.effects as PlanEffect[]) : [],
    dashboard: input.dashboard ? (toRecord(input.dashboard) as PlannedDashboard) : null,
    status: STATUSES.find((each) => each === output.status) ?? "pending",
    expiresAt: typeof output.expiresAt === "string" ? output.expiresAt : null,
  };
}

/** Returns the rows of a result that a query of the chat has shown. */
export function findRows(messages: readonly AgentMessage[], resultId: string): QueryOutput | null {
  for (const { parts } of messages) {
    for (const part of parts) {
      const tool = toToolPart(part);
      if (tool?.name === "run_query" && tool.output.resultId === resultId) return toQueryOutput(tool);
    }
  }
  return null;
}

export function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

import "server-only";
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { AppError } from "@/lib/platform/http/errors";
import { isStorable, objectIdText } from "@/lib/platform/http/schema";
import { PLAN_CHARS_MAX } from "../limits";
import type { PlannedDashboard } from "../model";
import { outcomeOf, type Proposal } from "../plans";
import { GRANTS, grant, planEffect } from "../schema";
import { BOTH, defineTool } from "./tool";

/** More than a user would read; of effects too. */
const TARGETS_MAX = 50;

const proposePlanTool = defineTool({
  name: "propose_plan",
  description:
    "Shows the person the planned changes in Markdown and requests the grants they require. Waits for the decision. Writes are rejected without approval.",
  input: z.object({
    agentSessionId: z.uuid().optional().describe("Omit it"),
    revision: z.int().optional().describe("Omit it"),
    planMarkdown: z.string().trim().min(1).max(PLAN_CHARS_MAX).refine(isStorable),
    grants: z.array(grant).min(1).max(GRANTS.length),
    targets: z
      .array(objectIdText)
      .min(1)
      .max(TARGETS_MAX)
      .optional()
      .describe(
        "IDs of the resources to change; the grants apply only to these. The connection for a query that writes, the console, the flow, the metric file, the dashboard, the app, the folder, or the destination of a new flow. A rule needs its console or flow. New consoles, metric files, dashboards, apps and folders need none.",
      ),
    effects: z
      .array(planEffect)
      .min(1)
      .max(TARGETS_MAX)
      .optional()
      .describe(
        "Each app or folder to delete, each app whose access changes or that is new with access workspace, and each new recipient of a rule. The person sees them in words",
      ),
    dashboard: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("The input of save_dashboard. The person sees it rendered, and the plan permits this content only"),
  }),
  output: z.object({
    agentSessionId: z.string(),
    status: z.enum(["approved", "changes_requested", "cancelled", "pending"]),
    grants: z.array(grant).describe("Granted permissions, valid until the turn ends"),
    expiresAt: z.string().nullable(),
    planMarkdown: z.string().nullable().describe("The plan as edited by the person, or their feedback"),
    decidedAt: z.string().nullable(),
  }),
  writes: null,
  agents: BOTH,
  needsChat: true,
  run: async ({ chat }, { agentSessionId }) => {
    // The turn has set its id and stored it (`withSessionId`).
    if (!chat || agentSessionId === undefined)
      throw new AppError("not_allowed", "No one is available to approve a plan.");
    return { agentSessionId, ...outcomeOf(await chat.decision(agentSessionId)) };
  },
});

export const planTools = [proposePlanTool];

/** Adds the plan's id to the streamed input of the call, so that the reader can decide on it while it waits. */
export function withSessionId(input: unknown): Proposal {
  const { agentSessionId = randomUUID(), ...rest } = input as Omit<Proposal, "agentSessionId"> & Partial<Proposal>;
  return { agentSessionId, ...rest };
}

/** @throws AppError `invalid_request` for a plan whose grants would not save the dashboard that it shows */
export function requireCover({ grants, targets = [] }: Proposal, { dashboardId }: PlannedDashboard): void {
  if (!grants.includes("dashboard-write")) {
    throw new AppError("invalid_request", "A plan that shows a dashboard requests dashboard-write.");
  }
  if (dashboardId === null || targets.some((id) => id.toLowerCase() === dashboardId.toLowerCase())) return;
  throw new AppError("invalid_request", "Name the dashboard in the targets of the plan.");
}

import "server-only";
import { z } from "zod";
import { createAppBody, TEMPLATE_NAMES, updateAppBody } from "@/lib/features/apps/schema";
import { createApp, listApps, updateApp } from "@/lib/features/apps/service";
import { idCursor, objectIdText } from "@/lib/platform/http/schema";
import type { PlanEffect } from "../schema";
import { shortText } from "./short";
import { BOTH, defineTool, parsed } from "./tool";

const LISTED_MAX = 50;
const LISTED_DEFAULT = 20;
const DESCRIPTION_CHARS_MAX = 200;

const app = z.object({
  id: z.string(),
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  access: z.string(),
});

const listAppsTool = defineTool({
  name: "list_apps",
  description: "Lists the apps that the person can see.",
  input: z.object({ cursor: idCursor.optional(), limit: z.int().min(1).max(LISTED_MAX).optional() }),
  output: z.object({ apps: z.array(app), nextCursor: z.string().nullable() }),
  writes: null,
  agents: BOTH,
  run: async ({ caller }, { cursor, limit = LISTED_DEFAULT }) => {
    const { items, nextCursor } = await listApps(caller, { limit, ...(cursor !== undefined && { cursor }) });
    return { apps: items.map(toListed), nextCursor };
  },
});

const saveAppTool = defineTool({
  name: "save_app",
  description:
    "Creates an app from a template, without publishing it, or renames, describes or moves the one with appId. Requires the grant app-write and, for a change, its ID in the plan's targets. access moves an app between private and workspace; only its owner can do this, and the plan's effects name it.",
  input: z.object({
    appId: objectIdText.optional().describe("Omit it to create an app"),
    title: z.string().max(200).optional().describe("Required for a new app"),
    description: z.string().optional(),
    access: z.enum(["private", "workspace"]).optional().describe("Default for a new app: private"),
    template: z.enum(TEMPLATE_NAMES).optional().describe("Of a new app. Default: blank"),
  }),
  output: app,
  writes: "app-write",
  // Moves apps to and from the workspace, which no consent names.
  scope: null,
  isDestructive: true,
  agents: BOTH,
  run: async ({ caller, requireGrant }, { appId, ...fields }) => {
    if (appId === undefined) {
      const body = parsed(createAppBody, fields);
      await requireGrant("app-write");
      if (fields.access === "workspace") await requireGrant("app-write", toAccessEffect(null, fields.access));
      return toListed(await createApp(caller, body));
    }
    const body = parsed(updateAppBody, fields);
    await requireGrant("app-write", { id: appId });
    if (fields.access) await requireGrant("app-write", toAccessEffect(appId, fields.access));
    return toListed(await updateApp(caller, appId, body));
  },
});

export const appTools = [listAppsTool, saveAppTool];

function toAccessEffect(id: string | null, access: "private" | "workspace"): { effect: PlanEffect } {
  return { effect: { effect: "access", kind: "app", id, access } };
}

function toListed({ id, slug, title, description, access }: z.infer<typeof app>) {
  return { id, slug, title, description: shortText(description, DESCRIPTION_CHARS_MAX), access };
}

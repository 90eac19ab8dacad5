import { z } from "zod";
import { role } from "@/lib/platform/access/schema";
import { idList, innerListQuery, isoDate, LIST_LIMIT_MAX, objectIdText, trimmedText } from "@/lib/platform/http/schema";
import { WORKSPACE_NAME_MAX } from "./limits";

export const workspaceName = trimmedText(WORKSPACE_NAME_MAX, "Name is required.");

export const createWorkspaceBody = z.object({ name: workspaceName });

export const updateWorkspaceBody = z.object({ name: workspaceName });

/** `role` is the caller's role. */
export const workspaceSchema = z.object({
  id: objectIdText,
  name: z.string(),
  slug: z.string(),
  role,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Workspace = z.infer<typeof workspaceSchema>;

export const workspaceSummarySchema = workspaceSchema.pick({ id: true, name: true, slug: true, role: true });
export type WorkspaceSummary = z.infer<typeof workspaceSummarySchema>;

export const memberSchema = z.object({
  userId: objectIdText,
  email: z.string(),
  name: z.string(),
  role,
  joinedAt: isoDate,
  lastSeenAt: isoDate.nullable().describe("Last activity in this workspace, accurate to minutes; null if never"),
});
export type Member = z.infer<typeof memberSchema>;

export const updateMemberBody = z.object({ role });
export const updatedMemberSchema = memberSchema.pick({ userId: true, role: true, joinedAt: true });
export type UpdatedMember = z.infer<typeof updatedMemberSchema>;

export const workspaceDetailsSchema = workspaceSchema.extend({ members: z.array(memberSchema) });
export const workspaceQuery = innerListQuery.extend({
  ids: idList.optional().describe(`Up to ${LIST_LIMIT_MAX} user ids, separated by commas: only these members`),
});
export type WorkspaceDetails = z.infer<typeof workspaceDetailsSchema>;

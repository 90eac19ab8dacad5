import { z } from "zod";
import { emailAddress } from "@/lib/features/users/schema";
import { workspaceSummarySchema } from "@/lib/features/workspaces/schema";
import { role } from "@/lib/platform/access/schema";
import { isoDate, objectIdText } from "@/lib/platform/http/schema";

export const createInviteBody = z.object({ email: emailAddress, role: role.default("member") });
export type CreateInviteBody = z.infer<typeof createInviteBody>;

export const inviteSchema = z.object({
  id: objectIdText,
  email: z.string(),
  role,
  invitedBy: objectIdText,
  createdAt: isoDate,
  expiresAt: isoDate,
});
export type Invite = z.infer<typeof inviteSchema>;

/** `link` is for the inviter, only in this answer: without a mail service they pass it on themselves. */
export const createdInviteSchema = inviteSchema.extend({ link: z.string(), mail: z.enum(["sent", "kept", "failed"]) });
export type CreatedInvite = z.infer<typeof createdInviteSchema>;

/** Details of an invitation that its link shows before it is accepted. */
export const invitationSchema = z.object({
  workspaceName: z.string(),
  inviterName: z.string(),
  email: z.string(),
  role,
  expiresAt: isoDate,
});
export type Invitation = z.infer<typeof invitationSchema>;

/** The token of an invitation's link. */
export const inviteToken = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "Invalid invitation link.");
export const acceptedInviteSchema = z.object({ workspace: workspaceSummarySchema });
export type AcceptedInvite = z.infer<typeof acceptedInviteSchema>;

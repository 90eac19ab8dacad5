import type { AcceptedInvite } from "@/lib/features/accounts/invites/schema";
import type { Preferences, UpdatePreferencesBody } from "@/lib/features/accounts/preferences/schema";
import type { ChangePasswordBody, EndedSessions, ResetPasswordBody, Session } from "@/lib/features/accounts/schema";
import type { User } from "@/lib/features/users/schema";
import type { Workspace } from "@/lib/features/workspaces/schema";
import { sendListPage } from "@/lib/platform/browser/lists";
import { send } from "@/lib/platform/browser/request";

/** Requests about the user's account. Each function throws ApiError. */
export const accountApi = {
  updateName: (name: string) => send<User>("PATCH", "/api/auth/me", { body: { name } }),
  forgotPassword: (email: string) => send<null>("POST", "/api/auth/password/forgot", { body: { email } }),
  resetPassword: (body: ResetPasswordBody) => send<null>("POST", "/api/auth/password/reset", { body }),
  /** Ends the other sessions too. */
  changePassword: (body: ChangePasswordBody) => send<null>("POST", "/api/auth/password", { body }),
  /** @param cursor of the previous page; null for the first page */
  listSessions: (cursor: string | null, signal?: AbortSignal) =>
    sendListPage<Session[]>("/api/auth/sessions", cursor, signal),
  endSession: (sessionId: string) => send<null>("DELETE", `/api/auth/sessions/${sessionId}`),
  /** Ends all sessions except the current one. */
  endOtherSessions: () => send<EndedSessions>("DELETE", "/api/auth/sessions"),
  readPreferences: (signal?: AbortSignal) => send<Preferences>("GET", "/api/me/preferences", { signal }),
  updatePreferences: (body: UpdatePreferencesBody) => send<Preferences>("PUT", "/api/me/preferences", { body }),
  acceptInvite: (token: string) => send<AcceptedInvite>("POST", `/api/invites/${token}/accept`, { body: {} }),
  createWorkspace: (name: string) => send<Workspace>("POST", "/api/workspaces", { body: { name } }),
};

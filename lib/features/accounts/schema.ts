import { z } from "zod";
import { USER_NAME_MAX } from "@/lib/features/users/limits";
import { emailAddress, userSchema } from "@/lib/features/users/schema";
import { workspaceSchema, workspaceSummarySchema } from "@/lib/features/workspaces/schema";
import { boundedText, isoDate, objectIdText } from "@/lib/platform/http/schema";

/** Limits of a password (docs/develop/api.md, Accounts), in characters as people see them, after Unicode's NFC. */
export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 128;
export const newPassword = z
  .string()
  .transform(normalizePassword)
  .refine((password) => [...password].length >= PASSWORD_LENGTH_MIN, `At least ${PASSWORD_LENGTH_MIN} characters.`)
  .refine((password) => [...password].length <= PASSWORD_LENGTH_MAX, `At most ${PASSWORD_LENGTH_MAX} characters.`)
  .meta({
    reference: { type: "string", minLength: PASSWORD_LENGTH_MIN, maxLength: PASSWORD_LENGTH_MAX },
    description: "Length after NFC normalisation",
  });

/** Maximum length of an invitation's token, which has 43 characters; any other text is not an invitation. */
const INVITE_TOKEN_MAX = 200;

export const registerBody = z.object({
  email: emailAddress,
  password: newPassword,
  name: z.string().trim().pipe(boundedText(USER_NAME_MAX)).meta({ maxLength: USER_NAME_MAX }).optional(),
  inviteToken: boundedText(INVITE_TOKEN_MAX)
    .optional()
    .describe("Token of an invitation link. Required if SIGN_UP admits invited people only."),
});
export type RegisterBody = z.infer<typeof registerBody>;

/** A password at sign-in has no minimum length: an error would reveal the rules at the time it was set. */
const passwordAttempt = boundedText(PASSWORD_LENGTH_MAX * 4).transform(normalizePassword);

export const loginBody = z.object({ email: emailAddress, password: passwordAttempt });
export type LoginBody = z.infer<typeof loginBody>;

export const registerAnswer = z.object({ user: userSchema, workspace: workspaceSchema });
export type RegisterAnswer = z.infer<typeof registerAnswer>;
export const loginAnswer = z.object({ user: userSchema });
export type LoginAnswer = z.infer<typeof loginAnswer>;
export const meAnswer = z.object({ user: userSchema, workspaces: z.array(workspaceSummarySchema) });
export type Me = z.infer<typeof meAnswer>;

export const changePasswordBody = z.object({ current: passwordAttempt, next: newPassword });
export type ChangePasswordBody = z.infer<typeof changePasswordBody>;

export const forgotPasswordBody = z.object({ email: emailAddress });
export const resetPasswordBody = z.object({ token: boundedText(200), password: newPassword });
export type ResetPasswordBody = z.infer<typeof resetPasswordBody>;

/** The installation as its admin sees it. */
export const instanceSchema = z.object({
  version: z.string(),
  signUp: z.object({ mode: z.enum(["open", "domain", "invite", "off"]), domains: z.array(z.string()) }),
  mail: z.enum(["smtp", "resend", "outbox"]).describe("`outbox`: without a mail service, emails are stored."),
  accounts: z.int(),
  workspaces: z.int(),
});
export type Instance = z.infer<typeof instanceSchema>;

/** Form fields that next-auth reads. */
export const signInForm = z.object({
  csrfToken: z.string().describe("From GET /api/auth/csrf"),
  callbackUrl: z.string().optional().describe("Path to redirect to after sign-in"),
});

/** One of the caller's sessions; `isCurrent` marks the current one. */
export const sessionSchema = z.object({
  id: objectIdText,
  createdAt: isoDate,
  expiresAt: isoDate,
  userAgent: z.string().nullable(),
  address: z.string().nullable(),
  isCurrent: z.boolean(),
});
export type Session = z.infer<typeof sessionSchema>;
export const endedSessionsSchema = z.object({ ended: z.int() });
export type EndedSessions = z.infer<typeof endedSessionsSchema>;

/** Normalises a password: the same text typed on two keyboards must be equal (T7). Nothing is trimmed or cut. */
function normalizePassword(password: string): string {
  return password.normalize("NFC");
}

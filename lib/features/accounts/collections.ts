import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { ApiKeyDoc, CredentialDoc, InstanceDoc, PasswordResetDoc, SessionDoc } from "./model";

export const collections = {
  accounts: declareCollection("accounts", {
    isOfWorkspace: false,
    indexes: [
      { key: { provider: 1, providerAccountId: 1 }, unique: true, serves: "sign-in by a provider finds its account" },
      { key: { userId: 1 }, serves: "the accounts of a user" },
    ],
  }),
  sessions: declareCollection<SessionDoc>("sessions", {
    isOfWorkspace: false,
    indexes: [
      { key: { sessionToken: 1 }, unique: true, serves: "who sends this cookie, on every request" },
      { key: { userId: 1, _id: -1 }, serves: "a user's own sessions; ending them on a password change" },
      {
        key: { expires: 1 },
        expireAfterSeconds: 0,
        serves: "ended sessions are swept; the check in code does not wait for it",
      },
    ],
  }),
  verificationTokens: declareCollection("verification_tokens", {
    isOfWorkspace: false,
    indexes: [{ key: { identifier: 1, token: 1 }, unique: true, serves: "one-time links" }],
  }),
  credentials: declareCollection<CredentialDoc>("credentials", {
    isOfWorkspace: false,
    indexes: [],
  }),
  passwordResets: declareCollection<PasswordResetDoc>("password_resets", {
    isOfWorkspace: false,
    indexes: [
      { key: { tokenHash: 1 }, unique: true, serves: "the account of a reset link" },
      { key: { userId: 1 }, serves: "an account's other links end with a new password" },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "links that are over are swept" },
    ],
  }),
  instance: declareCollection<InstanceDoc>("instance", {
    isOfWorkspace: false,
    indexes: [],
  }),
  apiKeys: declareCollection<ApiKeyDoc>("api_keys", {
    isOfWorkspace: true,
    indexes: [
      { key: { hash: 1 }, unique: true, serves: "who sends this key, on every request" },
      { key: { workspaceId: 1, _id: -1 }, serves: "the keys of a workspace, newest first" },
    ],
  }),
};

import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { ApiKeyDoc, CredentialDoc, InstanceDoc, PasswordResetDoc, SessionDoc } from "./model";

export const collections = {
  accounts: declareCollection("accounts", {
    isOfWorkspace: false,
    indexes: [
      { key: { provider: 1, providerAccountId: 1 }, unique: true, serves: "look-up of an account at provider sign-in" },
      { key: { userId: 1 }, serves: "the accounts of a user" },
    ],
  }),
  sessions: declareCollection<SessionDoc>("sessions", {
    isOfWorkspace: false,
    indexes: [
      { key: { sessionToken: 1 }, unique: true, serves: "look-up of a session, on every request" },
      { key: { userId: 1, _id: -1 }, serves: "a user's sessions; ending them on a password change" },
      {
        key: { expires: 1 },
        expireAfterSeconds: 0,
        serves: "expiry of ended sessions; the code checks the time itself",
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
      { key: { userId: 1 }, serves: "deletion of an account's other links after a password change" },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "expiry of links" },
    ],
  }),
  instance: declareCollection<InstanceDoc>("instance", {
    isOfWorkspace: false,
    indexes: [],
  }),
  apiKeys: declareCollection<ApiKeyDoc>("api_keys", {
    isOfWorkspace: true,
    indexes: [
      { key: { hash: 1 }, unique: true, serves: "look-up of an API key, on every request" },
      { key: { workspaceId: 1, _id: -1 }, serves: "the keys of a workspace, newest first" },
    ],
  }),
};

import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { ConnectedAppDoc, OAuthClientDoc, OAuthTokenDoc } from "./model";

export const collections = {
  oauthClients: declareCollection<OAuthClientDoc>("oauth_clients", {
    isOfWorkspace: false,
    indexes: [
      { key: { clientId: 1 }, unique: true, serves: "the client of an authorization" },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "expiry of unused registrations" },
    ],
  }),
  connectedApps: declareCollection<ConnectedAppDoc>("connected_apps", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, userId: 1, clientId: 1 }, unique: true, serves: "one entry per client and person" },
      { key: { workspaceId: 1, _id: -1 }, serves: "the connected apps of a workspace, newest first" },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "expiry of unused apps" },
    ],
  }),
  oauthTokens: declareCollection<OAuthTokenDoc>("oauth_tokens", {
    isOfWorkspace: true,
    indexes: [
      { key: { hash: 1 }, unique: true, serves: "look-up of a token, on every request" },
      { key: { workspaceId: 1, appId: 1 }, serves: "revocation of an app's tokens" },
      { key: { deleteAt: 1 }, expireAfterSeconds: 0, serves: "expiry of tokens; the code checks the time itself" },
    ],
  }),
};

import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { InviteDoc } from "./model";

export const collections = {
  invites: declareCollection<InviteDoc>("invites", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, email: 1 }, unique: true, serves: "one open invitation per address" },
      { key: { workspaceId: 1, _id: -1 }, serves: "the open invitations of a workspace, newest first" },
      { key: { tokenHash: 1 }, unique: true, serves: "the invitation of a link" },
      { key: { email: 1 }, serves: "look-up of an invited address for SIGN_UP=invite" },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "expiry of invitations" },
    ],
  }),
};

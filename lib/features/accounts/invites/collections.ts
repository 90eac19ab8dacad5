import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { InviteDoc } from "./model";

export const collections = {
  invites: declareCollection<InviteDoc>("invites", {
    isOfWorkspace: true,
    indexes: [
      { key: { workspaceId: 1, email: 1 }, unique: true, serves: "one open invitation an address" },
      { key: { workspaceId: 1, _id: -1 }, serves: "the open invitations of a workspace, newest first" },
      { key: { tokenHash: 1 }, unique: true, serves: "the invitation of a link" },
      { key: { email: 1 }, serves: "whether an address is invited, where SIGN_UP admits invited people only" },
      { key: { expiresAt: 1 }, expireAfterSeconds: 0, serves: "invitations that are over are swept" },
    ],
  }),
};

import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { MembershipDoc, WorkspaceDoc } from "./model";

export const collections = {
  workspaces: declareCollection<WorkspaceDoc>("workspaces", {
    isOfWorkspace: false,
    indexes: [
      { key: { slug: 1 }, unique: true, serves: "look-up of a workspace by its slug" },
      { key: { deletedAt: 1 }, sparse: true, serves: "interrupted deletions" },
    ],
  }),
  memberships: declareCollection<MembershipDoc>("memberships", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, userId: 1 },
        unique: true,
        serves: "membership check, on every request; one role per user",
      },
      { key: { workspaceId: 1, _id: 1 }, serves: "the members of a workspace, in joining order" },
      { key: { userId: 1, _id: 1 }, serves: "the workspaces of a user, in joining order" },
    ],
  }),
};

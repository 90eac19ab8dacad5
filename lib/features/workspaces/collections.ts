import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { MembershipDoc, WorkspaceDoc } from "./model";

export const collections = {
  workspaces: declareCollection<WorkspaceDoc>("workspaces", {
    isOfWorkspace: false,
    indexes: [
      { key: { slug: 1 }, unique: true, serves: "the workspace of a page's address" },
      { key: { deletedAt: 1 }, sparse: true, serves: "deletions that a crash broke off" },
    ],
  }),
  memberships: declareCollection<MembershipDoc>("memberships", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, userId: 1 },
        unique: true,
        serves: "may this user enter, on every request; one role a person",
      },
      { key: { workspaceId: 1, _id: 1 }, serves: "the members of a workspace, in the order in which they joined" },
      { key: { userId: 1, _id: 1 }, serves: "the workspaces of a user, in the order in which they joined" },
    ],
  }),
};

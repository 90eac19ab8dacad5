import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";
import type { ScheduleDoc } from "./model";

export const collections = {
  schedules: declareCollection<ScheduleDoc>("schedules", {
    isOfWorkspace: true,
    indexes: [
      {
        key: { workspaceId: 1, resourceType: 1, resourceId: 1 },
        unique: true,
        serves: "the schedule of a resource, of which it has one",
      },
      { key: { nextAt: 1 }, sparse: true, serves: "what is due, in the order in which it is due" },
    ],
  }),
};

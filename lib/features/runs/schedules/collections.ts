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
        serves: "one schedule per resource",
      },
      { key: { nextAt: 1 }, sparse: true, serves: "due schedules, earliest first" },
    ],
  }),
};

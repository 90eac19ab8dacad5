import { inngest } from "@/inngest/client";
import { BASE_PACK_EVENT, type BasePackDue, writeBasePack } from "@/lib/features/repository/git/base-pack";

export const extendBasePack = inngest.createFunction(
  {
    id: "extend-base-pack",
    retries: 2,
    concurrency: { limit: 1, key: "event.data.workspaceId" },
    triggers: [{ event: BASE_PACK_EVENT }],
  },
  ({ event }) => writeBasePack(event.data as BasePackDue),
);

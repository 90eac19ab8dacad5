import "server-only";
import { declareCollection } from "@/lib/platform/db/collection";

export const collections = {
  rateLimits: declareCollection("rate_limits", {
    isOfWorkspace: false,
    indexes: [
      { key: { key: 1 }, unique: true, serves: "one counter per limit and subject, shared by all servers" },
      { key: { expire: 1 }, expireAfterSeconds: 0, serves: "expiry of counters" },
    ],
  }),
};

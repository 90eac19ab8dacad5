import { type AccessRows, OPEN } from "@/test/access-rows";

export const lifecycleAccess: AccessRows = {
  rows: {
    "GET /api/health": { statuses: OPEN },
  },
};

import { type AccessRows, OPEN } from "@/test/access-rows";

export const lifecycleAccess: AccessRows = {
  rows: {
    "GET /api/health": { statuses: OPEN },
    "GET /api/health/live": { statuses: OPEN },
    "GET /api/health/ready": { statuses: OPEN },
  },
};

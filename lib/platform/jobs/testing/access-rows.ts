import type { AccessRows } from "@/test/access-rows";

/** By the job runner's signature alone, which no principal has. */
const SIGNED = "401 401 401 401 401 401 401 401 401 401 401";

export const jobAccess: AccessRows = {
  rows: {
    "GET /api/inngest": { statuses: SIGNED },
    "POST /api/inngest": { statuses: SIGNED },
    "PUT /api/inngest": { statuses: SIGNED },
  },
};

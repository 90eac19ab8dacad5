import { type AccessRows, OPEN } from "@/test/access-rows";

export const referenceAccess: AccessRows = {
  rows: {
    "GET /api/openapi.json": { statuses: OPEN },
  },
};

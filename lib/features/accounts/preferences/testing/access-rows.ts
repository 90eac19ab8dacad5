import { ACCOUNT, type AccessRows } from "@/test/access-rows";

export const preferenceAccess: AccessRows = {
  rows: {
    "GET /api/me/preferences": { statuses: ACCOUNT },
    "PUT /api/me/preferences": { statuses: ACCOUNT, body: () => ({ theme: "dark" }) },
  },
};

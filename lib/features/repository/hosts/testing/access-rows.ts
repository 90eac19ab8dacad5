import { ABSENT, type AccessRows, MEMBER } from "@/test/access-rows";

const LINK = "/api/workspaces/{workspaceId}/apps-v2/link";
/** No host is set up here: who may is told that. */
const UNCONFIGURED = "401 401 403 412 412 412 403 403 401 403 403";

export const repohostAccess: AccessRows = {
  rows: {
    "GET /api/workspaces/{workspaceId}/apps-v2/repohost-sync-url": { statuses: UNCONFIGURED },
    [`GET ${LINK}`]: { statuses: MEMBER },
    [`POST ${LINK}`]: { statuses: UNCONFIGURED, body: () => ({ owner: "acme", repo: "shop" }) },
    [`POST ${LINK}/sync`]: { statuses: UNCONFIGURED, body: () => ({ prefer: "host" }) },
    [`DELETE ${LINK}`]: { statuses: "401 401 403 404 404 404 403 403 401 403 403" },
    "GET /api/repohost/callback": { statuses: ABSENT },
    "POST /api/repohost/webhook": { statuses: ABSENT },
  },
};

import type { IsolationLevel } from "@/lib/features/connections/schema";
import type { OpenSessionAnswer, Session } from "@/lib/features/query/schema";
import { send } from "@/lib/platform/browser/request";

const listUrl = (workspaceId: string, connectionId: string) =>
  `/api/workspaces/${workspaceId}/databases/${connectionId}/sessions`;

/** API client for sessions of manual transactions. Each function throws ApiError. */
export const sessionsApi = {
  list: (workspaceId: string, connectionId: string) => send<Session[]>("GET", listUrl(workspaceId, connectionId)),
  open: (workspaceId: string, connectionId: string, isolation: IsolationLevel | null) =>
    send<OpenSessionAnswer>("POST", listUrl(workspaceId, connectionId), {
      body: isolation === null ? {} : { isolation },
    }),
  close: (workspaceId: string, sessionId: string) =>
    send<unknown>("DELETE", `/api/workspaces/${workspaceId}/sessions/${sessionId}`),
};

import { closeSessionRoutes } from "@/lib/features/query/session-routes";
import { pathIds } from "@/lib/platform/http/ids";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = closeSessionRoutes(pathIds("workspaceId", "sessionId"));

import type { Api } from "./client";
import { expect, NO_SUCH_ID } from "./fixtures";

type Operation = {
  readonly operationId?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, unknown>> };
  readonly responses?: object;
};
/** A listed route with its operation in the OpenAPI document. */
export type Listed = Route & { readonly operation: Operation };
export type Route = { readonly method: string; readonly path: string };

/** The routes of docs/develop/api.md. */
export const CONTRACT_ROUTES: readonly string[] = [
  "GET /api/health",
  "GET /api/health/live",
  "GET /api/health/ready",
  "GET /api/openapi.json",
  "POST /api/auth/register",
  "POST /api/auth/login",
  "GET /api/auth/me",
  "PATCH /api/auth/me",
  "POST /api/auth/logout",
  "POST /api/auth/password",
  "POST /api/auth/password/forgot",
  "POST /api/auth/password/reset",
  "GET /api/auth/sessions",
  "DELETE /api/auth/sessions/{}",
  "GET /api/me/preferences",
  "PUT /api/me/preferences",
  "GET /api/workspaces",
  "POST /api/workspaces",
  "GET /api/workspaces/{}",
  "PATCH /api/workspaces/{}",
  "DELETE /api/workspaces/{}",
  "PUT /api/workspaces/{}/members/{}",
  "DELETE /api/workspaces/{}/members/{}",
  "GET /api/workspaces/{}/invites",
  "POST /api/workspaces/{}/invites",
  "DELETE /api/workspaces/{}/invites/{}",
  "GET /api/invites/{}",
  "POST /api/invites/{}/accept",
  "GET /api/workspaces/{}/outbox",
  "POST /api/oauth/register",
  "POST /api/oauth/authorize",
  "POST /api/oauth/token",
  "POST /api/oauth/revoke",
  "GET /api/workspaces/{}/connected-apps",
  "DELETE /api/workspaces/{}/connected-apps/{}",
  "GET /api/workspaces/{}/api-keys",
  "POST /api/workspaces/{}/api-keys",
  "DELETE /api/workspaces/{}/api-keys/{}",
  "GET /api/connectors/types",
  "GET /api/workspaces/{}/connectors",
  "POST /api/workspaces/{}/connectors",
  "GET /api/workspaces/{}/connectors/{}",
  "PATCH /api/workspaces/{}/connectors/{}",
  "GET /api/workspaces/{}/connectors/{}/entities",
  "POST /api/workspaces/{}/connectors/test",
  "POST /api/workspaces/{}/connections/sources/{}/test",
  "DELETE /api/workspaces/{}/connections/sources/{}",
  "GET /api/workspaces/{}/files",
  "POST /api/workspaces/{}/files",
  "DELETE /api/workspaces/{}/files/{}",
  "GET /api/workspaces/{}/metrics",
  "GET /api/workspaces/{}/metrics/{}",
  "PUT /api/workspaces/{}/metrics/{}",
  "DELETE /api/workspaces/{}/metrics/{}",
  "GET /api/workspaces/{}/metrics/{}/git/history",
  "POST /api/workspaces/{}/metrics/query",
  "POST /api/execute",
  "POST /api/workspaces/{}/databases/{}/execute",
  "GET /api/workspaces/{}/executions",
  "GET /api/workspaces/{}/executions/{}",
  "POST /api/workspaces/{}/executions/{}/cancel",
  "POST /api/agent/chat",
  "GET /api/agent/models",
  "GET /api/agent/agents",
  "POST /api/agent/plan-decision",
  "GET /api/workspaces/{}/agent/instructions",
  "PUT /api/workspaces/{}/agent/instructions",
  "GET /api/workspaces/{}/chats",
  "POST /api/workspaces/{}/chats",
  "GET /api/workspaces/{}/chats/{}",
  "PUT /api/workspaces/{}/chats/{}",
  "DELETE /api/workspaces/{}/chats/{}",
  "PUT /api/workspaces/{}/chats/{}/messages/{}/feedback",
  "GET /api/workspaces/{}/chats/{}/results/{}",
  "POST /api/mcp",
  "POST /api/workspaces/{}/apps-v2/link",
  "GET /api/workspaces/{}/apps-v2/repohost-sync-url",
];

/** Paths outside the envelope, or with another protocol (docs/develop/api.md, Common rules). */
const FOREIGN_FORMS =
  /^\/api\/(health|openapi\.json|inngest|mcp|oauth\/(register|token|revoke)$|auth\/(signin|callback)\/|auth\/csrf)/;
/** Paths that need no credentials (docs/develop/api.md, Common rules, 2, 8 and 10). */
const OPEN =
  /^\/api\/(auth\/(register|login|logout|password\/(forgot|reset))$|invites\/\{[^}]*\}$|webhooks\/|repohost\/|share\/|snapshots\/|apps\/(view|dev)\/)/;

export function inEnvelope({ path }: Route): boolean {
  return !FOREIGN_FORMS.test(path);
}
export function needsCredentials(route: Route): boolean {
  return inEnvelope(route) && !OPEN.test(route.path);
}

/** Returns every route of the service's OpenAPI document. */
export async function listedRoutes(api: Api): Promise<Listed[]> {
  const { json } = await api.get("/api/openapi.json");
  const routes = Object.entries<Record<string, Operation>>(json.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => /^(get|post|put|patch|delete)$/.test(method))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  // An empty list would let the loops over it pass.
  expect(routes.length).toBeGreaterThanOrEqual(CONTRACT_ROUTES.length);
  return routes;
}

/** Returns the path with valid ids that, except for the workspace's, do not exist. */
export function fill(path: string, workspaceId: string, id = NO_SUCH_ID): string {
  return path
    .replace("{workspaceId}", workspaceId)
    .replace("{executionId}", "00000000-0000-4000-8000-000000000000")
    .replace("{token}", "A".repeat(43))
    .replace("{file}", "none.duckdb")
    .replace("{provider}", "github")
    .replace("{sha}", "abcdef0")
    .replace(/\{\w+\}/g, id);
}

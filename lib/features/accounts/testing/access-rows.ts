import { randomUUID } from "node:crypto";
import { ABSENT, ACCOUNT, type AccessRows, ADMIN_IN_PERSON, SIGN_IN } from "@/test/access-rows";
import { PASSWORD } from "@/test/seed";

export const authAccess: AccessRows = {
  rows: {
    "POST /api/auth/register": {
      statuses: "201 401 201 201 201 403 403 201 401 201 403",
      body: () => ({ email: `${randomUUID()}@example.com`, password: PASSWORD }),
    },
    // No provider is set up here; lib/features/accounts/oauth.int.test.ts has one.
    "GET /api/auth/csrf": { statuses: ABSENT },
    "POST /api/auth/signin/{provider}": { statuses: ABSENT },
    "GET /api/auth/callback/{provider}": { statuses: ABSENT },
    "POST /api/auth/password": {
      statuses: "401 401 401 401 401 403 403 401 401 401 403",
      body: () => ({ current: "not the password", next: PASSWORD }),
    },
    "POST /api/auth/password/forgot": {
      statuses: SIGN_IN,
      body: () => ({ email: `${randomUUID()}@example.com` }),
    },
    "POST /api/auth/password/reset": {
      statuses: "400 401 400 400 400 403 403 400 401 400 403",
      body: () => ({ token: "unknown", password: PASSWORD }),
    },
    "GET /api/auth/sessions": { statuses: ACCOUNT },
    "DELETE /api/auth/sessions/{sessionId}": { statuses: "401 401 404 404 404 403 403 404 401 404 403" },
    // The owner registered first.
    "GET /api/instance": { statuses: "401 401 403 403 200 403 403 403 401 403 403" },
    "GET /api/auth/me": { statuses: ACCOUNT },
    "PATCH /api/auth/me": { statuses: ACCOUNT, body: () => ({ name: "Ana Lopez" }) },
    "GET /api/workspaces/{workspaceId}/api-keys": { statuses: ADMIN_IN_PERSON },
    "POST /api/workspaces/{workspaceId}/api-keys": {
      statuses: "401 401 403 201 201 403 403 403 401 403 403",
      body: () => ({ name: "Nightly report" }),
    },
    "DELETE /api/workspaces/{workspaceId}/api-keys/{keyId}": {
      statuses: "401 401 403 404 404 403 403 403 401 403 403",
    },
    // It ends the others of the same person only, and each principal here is another person.
    "DELETE /api/auth/sessions": { statuses: ACCOUNT },
    // Last: they end the sessions that the others use.
    "POST /api/auth/login": {
      statuses: SIGN_IN,
      body: (world) => ({ email: world.people.owner.email, password: PASSWORD }),
    },
    "POST /api/auth/logout": { statuses: SIGN_IN },
  },
};

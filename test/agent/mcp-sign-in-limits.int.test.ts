import { createHash } from "node:crypto";
import { afterAll, expect, it } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { seedPerson } from "@/test/seed";

// 5 consents a day, 6 renewals an hour.
process.env.RATE_LIMIT_SCALE = "0.1";
const own = takeOwnDatabase();
afterAll(() => own.drop());

const redirect_uri = "http://localhost:9911/callback";
const code_verifier = "v".repeat(43);

it("limits the consents of a person and the renewals of an app", async () => {
  const ana = await seedPerson("Ana");
  const { json } = await call("POST", "/api/oauth/register", { body: { redirect_uris: [redirect_uri] } });
  const { client_id } = json;
  const code_challenge = createHash("sha256").update(code_verifier).digest("base64url");
  const proof = { code_challenge, code_challenge_method: "S256" };
  const request = { response_type: "code", client_id, redirect_uri, ...proof };
  const decide = (isAllowed = true) =>
    call("POST", "/api/oauth/authorize", {
      cookie: ana.cookie,
      body: { request, workspaceId: ana.workspaceId, scopes: ["read"], isAllowed },
    });
  const token = (fields: Record<string, string>) =>
    call("POST", "/api/oauth/token", { rawBody: new URLSearchParams({ client_id, ...fields }).toString() });

  let code = "";
  for (let count = 0; count < 5; count++) {
    const { redirectTo } = (await decide()).json.data;
    code = new URL(redirectTo).searchParams.get("code") ?? "";
  }
  expect([(await decide()).status, (await decide(false)).status]).toEqual([429, 200]);

  let issued = await token({ grant_type: "authorization_code", code, code_verifier, redirect_uri });
  for (let count = 0; count < 6; count++) {
    expect(issued.status).toBe(200);
    issued = await token({ grant_type: "refresh_token", refresh_token: issued.json.refresh_token });
  }
  const limited = await token({ grant_type: "refresh_token", refresh_token: issued.json.refresh_token });
  expect(limited.status).toBe(429);
  // The token is not used by an attempt over the limit.
  const { access_token: key } = issued.json;
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  expect((await call("POST", "/api/mcp", { key, body })).status).toBe(200);
});

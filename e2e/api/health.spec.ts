import { expect, test } from "@playwright/test";
import packageJson from "../../package.json" with { type: "json" };

test("reports a running server and its parts as healthy", async ({ request }) => {
  const answer = await request.get("/api/health");
  expect(answer.status()).toBe(200);
  expect(await answer.json()).toEqual({
    status: "ok",
    version: packageJson.version,
    mongo: "ok",
    jobs: "ok",
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../test/servers/free-port";
import { becomesHealthy, startServer } from "../../test/servers/millrace";
import { expect, expectAccessible, newEmail, PASSWORD, test } from "./fixtures";

test("C46 starts an empty instance with registration, and closes it as SIGN_UP says", { tag: "@long" }, async ({
  page,
}) => {
  const dataDir = await mkdtemp(join(tmpdir(), "millrace-sign-up-"));
  const port = await freePort();
  const server = await startServer(
    { DATA_DIR: dataDir, SIGN_UP: "invite", PUBLIC_URL: `http://127.0.0.1:${port}` },
    port,
  );
  try {
    await becomesHealthy(server);
    for (const path of ["/", "/login"]) {
      await page.goto(server.url + path);
      await expect(page.getByRole("heading", { name: "Create account" })).toBeVisible();
    }
    await page.getByLabel("Email").fill(newEmail());
    await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page).toHaveURL(/\/w\//);
    const { request } = page.context();
    const me = (await (await request.get(`${server.url}/api/auth/me`)).json()).data;
    const guest = newEmail();
    const invites = `${server.url}/api/workspaces/${me.workspaces[0].id}/invites`;
    const { link } = (await (await request.post(invites, { data: { email: guest } })).json()).data;

    // The workspace's page would also redirect to the sign-in page.
    await page.goto("about:blank");
    await page.context().clearCookies();
    await page.goto(`${server.url}/login`);
    await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
    await expect(page.getByRole("link", { name: "Create account" })).toHaveCount(0);
    await page.goto(`${server.url}/register`);
    await expect(page.getByRole("heading", { name: "Registration is closed" })).toBeVisible();
    await expectAccessible(page);

    await page.goto(link);
    await page.getByRole("link", { name: "Create account" }).click();
    await expect(page.getByLabel("Email")).toHaveValue(guest);
    await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create account and join" }).click();
    await expect(page).toHaveURL(new RegExp(`/w/${me.workspaces[0].slug}`));
  } finally {
    server.process.kill("SIGTERM");
    await server.ended;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
});

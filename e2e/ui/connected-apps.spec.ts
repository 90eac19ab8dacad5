import { auth } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ClientMemory } from "../../test/mcp-client";
import { expect, expectAccessible, PASSWORD, test } from "./fixtures";
import { settings } from "./settings.fixtures";

test("signs a stock client in through the browser, and revokes it in settings", async ({ page, person, baseURL }) => {
  const serverUrl = `${baseURL}/api/mcp`;
  const memory = new ClientMemory();
  expect(await auth(memory, { serverUrl })).toBe("REDIRECT");
  await page.route("http://localhost:9911/**", (route) => route.fulfill({ body: "Signed in" }));

  // Signed out, the request waits behind the sign-in.
  await page.context().clearCookies();
  await page.goto(String(memory.opened));
  await page.getByRole("textbox", { name: "Email" }).fill(person.email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();

  await expect(page.getByRole("heading", { name: "Allow Desk Assistant to use Millrace?" })).toBeVisible();
  await expect(page.getByText("localhost:9911")).toBeVisible();
  await expect(page.getByRole("checkbox", { name: /^Read/ })).toBeDisabled();
  await expect(page.getByRole("checkbox", { name: /^Build/ })).not.toBeChecked();
  await expectAccessible(page);
  await page.getByRole("checkbox", { name: /^Write/ }).uncheck();
  await page.getByRole("button", { name: "Allow read" }).click();
  await page.waitForURL("http://localhost:9911/**");
  const authorizationCode = new URL(page.url()).searchParams.get("code") ?? "";
  expect(await auth(memory, { serverUrl, authorizationCode })).toBe("AUTHORIZED");

  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: memory }));
  await client.callTool({ name: "list_connections", arguments: {} });
  const { tools } = await client.listTools();
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);

  const row = page.getByRole("row", { name: /Desk Assistant/ });
  // Uses are written together every few seconds.
  await expect(async () => {
    await page.goto(settings(person, "connected-apps"));
    await expect(row.getByRole("cell", { name: "1", exact: true })).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await expect(row).toContainText("read");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Revoke Desk Assistant" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke access" }).click();
  await expect(page.getByRole("heading", { name: "No connected apps yet" })).toBeVisible();
  const headers = { Authorization: `Bearer ${memory.saved?.access_token}` };
  expect((await page.request.post("/api/mcp", { headers, data: {} })).status()).toBe(401);
});

test("leaves for a client's address only by a click", async ({ page, person, baseURL }) => {
  const memory = new ClientMemory();
  await auth(memory, { serverUrl: `${baseURL}/api/mcp` });
  const url = new URL(String(memory.opened));
  url.searchParams.set("response_type", "token");
  await page.goto(url.href);
  await expect(page.getByText("Use response_type=code.")).toBeVisible();
  expect(person.slug).not.toBe("");
  const link = page.getByRole("link", { name: "Return to localhost:9911" });
  await expect(link).toHaveAttribute("href", /^http:\/\/localhost:9911\/.*error=unsupported_response_type/);
});

test("says what to do next when the client opens without a new page", { tag: "@long" }, async ({
  page,
  person,
  baseURL,
}) => {
  const body = { redirect_uris: ["desk-app://callback"], client_name: "\u05e9\u05dc\u05d5\u05dd (1)" };
  const { client_id } = await (await page.request.post("/api/oauth/register", { data: body })).json();
  const proof = { code_challenge: "x".repeat(43), code_challenge_method: "S256" };
  await page.goto(`${baseURL}/oauth/authorize?${new URLSearchParams({ response_type: "code", client_id, ...proof })}`);
  await expect(page.locator("h1 bdi")).toHaveText(body.client_name);
  await page.getByRole("button", { name: /^Allow/ }).dblclick();
  await expect(page.getByRole("status").filter({ hasText: "Continue in the client" })).toBeVisible();
  await page.goto(settings(person, "connected-apps"));
  await expect(page.getByRole("row", { name: /desk-app:/ })).toContainText(body.client_name);
});

test("sends nothing to a return address that the client did not register", async ({ page, person, baseURL }) => {
  const memory = new ClientMemory();
  await auth(memory, { serverUrl: `${baseURL}/api/mcp` });
  const url = new URL(String(memory.opened));
  url.searchParams.set("redirect_uri", "https://evil.example/");
  await page.goto(url.href);
  await expect(page.getByRole("heading", { name: "Couldn't connect the client" })).toBeVisible();
  expect(person.slug).not.toBe("");
  await expect(page).toHaveURL(/\/oauth\/authorize/);
});

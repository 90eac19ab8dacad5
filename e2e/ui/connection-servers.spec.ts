import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

const KEY = `SHA256:${"k".repeat(43)}`;
const SERVER = { host: "127.0.0.1", port: 9, user: "reader", password: "a-password", ssl: "disable" };
const TUNNEL = { host: "jump.invalid", user: "millrace", password: "marker-of-the-tunnel", hostKeySha256: KEY };

async function addPostgres(page: Page, config: object): Promise<string> {
  const wid = await workspaceIdOf(page.request);
  const data = { name: "shop-prod", type: "postgres", config };
  const answer = await page.request.post(`/api/workspaces/${wid}/connectors`, { data });
  expect(answer.status(), await answer.text()).toBe(201);
  return (await answer.json()).data.id;
}

async function readConfig(page: Page, id: string): Promise<Record<string, unknown>> {
  const wid = await workspaceIdOf(page.request);
  return (await (await page.request.get(`/api/workspaces/${wid}/connectors/${id}`)).json()).data.config;
}

test("enables a tunnel, shows its host key in a test, trusts it and saves", async ({ page, person }) => {
  const sent: { config: { ssh?: { hostKeySha256?: string } } }[] = [];
  await page.route("**/connectors/test", (route) => {
    const body = route.request().postDataJSON();
    sent.push(body);
    const isTrusted = body.config.ssh?.hostKeySha256 === KEY;
    const data = isTrusted
      ? { ok: true, latencyMs: 46, serverVersion: "PostgreSQL 16.4" }
      : { ok: false, code: "source_unreachable", error: `Its fingerprint is ${KEY}.`, hostKeySha256: KEY };
    return route.fulfill({ json: { success: true, data } });
  });
  await page.goto(`/w/${person.slug}/connections/new?type=postgres`);
  await expect(page.getByRole("combobox", { name: "TLS" })).toHaveText("Required, verify certificate");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("shop-prod");
  await page.getByRole("textbox", { name: "Host", exact: true }).fill("10.20.4.11");
  const tunnel = page.getByRole("region", { name: "SSH tunnel" });
  await expect(tunnel.getByRole("textbox")).toHaveCount(0);
  await tunnel.getByRole("switch", { name: "SSH tunnel" }).click();
  await tunnel.getByRole("textbox", { name: "Tunnel host", exact: true }).fill("jump.invalid");
  await tunnel.getByRole("textbox", { name: "Tunnel user" }).fill("millrace");
  await tunnel.getByLabel("Tunnel password").fill("a-password");
  const limits = page.getByRole("region", { name: "Schemas and limits" });
  await limits.getByRole("textbox", { name: "Schemas to show" }).fill("public, billing");
  await limits.getByRole("textbox", { name: "Statement timeout" }).fill("60000");

  await page.getByRole("button", { name: "Test connection" }).click();
  await expect(page.getByRole("form").getByText(`Its fingerprint is ${KEY}.`)).toBeVisible();
  await page.getByRole("button", { name: "Trust this key" }).click();
  await expect(tunnel.getByRole("textbox", { name: "Tunnel host key" })).toHaveValue(KEY);
  await page.getByRole("button", { name: "Test connection" }).click();
  await expect(page.getByRole("form").getByText("Connected in 46 ms.")).toBeVisible();
  expect(sent).toHaveLength(2);
  await expectAccessible(page);

  await page.getByRole("button", { name: "Save connection" }).click();
  await page
    .getByRole("row", { name: /shop-prod/ })
    .getByRole("link", { name: "shop-prod" })
    .click();
  await expect(tunnel.getByRole("switch", { name: "SSH tunnel" })).toBeChecked();
  const id = page.url().split("/").at(-1) ?? "";
  expect(await readConfig(page, id)).toMatchObject({
    host: "10.20.4.11",
    ssl: "verify-full",
    ssh: { host: "jump.invalid", user: "millrace", password: { set: true }, hostKeySha256: KEY },
    schemas: ["public", "billing"],
    statementTimeoutMs: 60_000,
  });
});

test("shows stored settings without secrets, and asks for the password when a tunnel is removed", async ({
  page,
  person,
}) => {
  const id = await addPostgres(page, { ...SERVER, ssh: TUNNEL, schemas: ["public"], statementTimeoutMs: 5000 });
  await page.goto(`/w/${person.slug}/connections/${id}`);
  const tunnel = page.getByRole("region", { name: "SSH tunnel" });
  await expect(tunnel.getByRole("textbox", { name: "Tunnel host", exact: true })).toHaveValue("jump.invalid");
  await expect(tunnel.getByText("Saved and encrypted")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Schemas to show" })).toHaveValue("public");
  expect(await page.content()).not.toContain("marker-of-the-tunnel");

  await page.getByRole("textbox", { name: "Schemas to show" }).fill("");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Connection saved", { exact: true })).toBeVisible();
  expect(await readConfig(page, id)).not.toHaveProperty("schemas");

  await tunnel.getByRole("switch", { name: "SSH tunnel" }).click();
  await expect(page.getByText("The host changed. Enter this again.")).toHaveCount(1);
  await page.getByLabel("Password", { exact: true }).fill("a-password");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Connection saved", { exact: true })).toBeVisible();
  expect(await readConfig(page, id)).not.toHaveProperty("ssh");
});

test("shows the server's problems with a tunnel at their fields", { tag: "@long" }, async ({ page, person }) => {
  const id = await addPostgres(page, SERVER);
  await page.goto(`/w/${person.slug}/connections/${id}`);
  const tunnel = page.getByRole("region", { name: "SSH tunnel" });
  await tunnel.getByRole("switch", { name: "SSH tunnel" }).click();
  await page.getByLabel("Password", { exact: true }).fill("a-password");
  await tunnel.getByRole("textbox", { name: "Tunnel host", exact: true }).fill("jump.invalid");
  await tunnel.getByRole("textbox", { name: "Tunnel user" }).fill("millrace");
  await tunnel.getByRole("textbox", { name: "Tunnel private key" }).fill("not a key");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(tunnel.getByText(/^Invalid private key\./)).toBeVisible();
  await page.getByRole("textbox", { name: "Statement timeout" }).fill("5");
  await tunnel.getByRole("textbox", { name: "Tunnel private key" }).fill("");
  await tunnel.getByLabel("Tunnel password").fill("x");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("At least 1000 ms.")).toBeVisible();
});

test("lists what uses a connection, with links", async ({ page, person }) => {
  const wid = await workspaceIdOf(page.request);
  const post = async (path: string, data: object) => {
    const answer = await page.request.post(`/api/workspaces/${wid}${path}`, { data });
    expect(answer.ok(), await answer.text()).toBe(true);
    return (await answer.json()).data;
  };
  const { id } = await post("/connectors", {
    name: "warehouse",
    type: "duckdb",
    config: { file: "warehouse.duckdb" },
    readOnly: false,
  });
  await page.goto(`/w/${person.slug}/connections/${id}`);
  const used = page.getByRole("region", { name: "Used by" });
  await expect(used).toContainText("Not used yet");
  const sample = (await (await page.request.get(`/api/workspaces/${wid}/connectors`)).json()).data[0].id;
  await post("/flows", {
    type: "query",
    name: "Orders to warehouse",
    trigger: false,
    source: { connectionId: sample, query: "select 1 as a" },
    destination: { connectionId: id, write: "append" },
  });
  await post("/consoles", { name: "stock.sql", content: "select 1", connectionId: id });
  await page.reload();
  await expect(used).toContainText("1 console, 1 flow");
  await expect(used.getByRole("link", { name: "stock.sql" })).toBeVisible();
  await page
    .getByRole("complementary")
    .getByRole("link", { name: /^All connections/ })
    .click();
  await expect(page.getByRole("row", { name: /warehouse/ })).toContainText("1 console, 1 flow");
  await page.goBack();
  await used.getByRole("link", { name: "Orders to warehouse" }).click();
  await expect(page).toHaveURL(/\/flows\//);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("fits the form with its tunnel", { tag: "@long" }, async ({ page, person }) => {
    const id = await addPostgres(page, { ...SERVER, ssh: TUNNEL });
    await page.goto(`/w/${person.slug}/connections/${id}`);
    await expect(page.getByRole("textbox", { name: "Tunnel host", exact: true })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await expectAccessible(page);
  });
});

test("offers Amazon Redshift with its form, and saves it", { tag: "@long" }, async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/connections/new`);
  const kind = page.getByRole("link", { name: "Amazon Redshift" });
  await kind.click();
  await expect(kind).toHaveAttribute("aria-current", "true");
  await expect(page.getByText("Default: 5439.")).toBeVisible();
  await expect(page.getByText("grant select on all tables")).toBeVisible();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("warehouse");
  await page.getByRole("textbox", { name: "Host", exact: true }).fill("127.0.0.1");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByRole("row", { name: /warehouse/ })).toBeVisible();
});

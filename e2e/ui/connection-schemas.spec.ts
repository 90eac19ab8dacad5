import type { Page } from "@playwright/test";
import { startPostgres, type TestServer } from "../../test/servers/postgres";
import { expect, expectAccessible, test } from "./fixtures";
import { workspaceIdOf } from "./settings.fixtures";

test.describe.configure({ timeout: 120_000 });

let server: TestServer | null = null;
test.beforeAll(async () => {
  server = await startPostgres();
  if (server === null)
    process.stderr.write("\nNOT TESTED: PostgreSQL is not installed, so no schemas were ticked.\n\n");
});
test.afterAll(() => server?.stop());

/** Creates a connection to a database with three schemas. @returns its id */
async function addShop(page: Page, { host, port, user, password, database }: TestServer): Promise<string> {
  const home = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const config = { host, port, user, password, database, ssl: "disable" };
  const made = await page.request.post(`${home}/connectors`, {
    data: { name: "shop-prod", type: "postgres", config, readOnly: false },
  });
  expect(made.status(), await made.text()).toBe(201);
  const { id } = (await made.json()).data;
  for (const query of [
    "create schema if not exists billing",
    "create schema if not exists logistics",
    "create table if not exists public.orders (id int)",
    "create table if not exists billing.invoices (id int)",
    "create table if not exists billing.payments (id int)",
  ]) {
    const answer = await page.request.post(`${home}/databases/${id}/execute`, { data: { query } });
    expect(answer.status(), query).toBe(200);
  }
  return id;
}

test("shows the steps of a test and the schemas found, and limits the tree to selected ones", async ({
  page,
  person,
  consolePage,
}) => {
  test.skip(server === null);
  const id = await addShop(page, server as TestServer);
  const address = `/w/${person.slug}/connections/${id}`;
  await page.goto(address);
  await expect(page.getByRole("textbox", { name: "Schemas to show" })).toHaveValue("");
  await page.getByRole("button", { name: "Test connection" }).click();
  const steps = page.getByRole("list", { name: "Test steps", exact: true });
  await expect(steps).toBeInViewport();
  await expect(steps.getByRole("listitem")).toContainText(["Connect to server", "Authenticate", "Read schema"]);
  await expect(page.getByRole("textbox", { name: "Schemas to show" })).toHaveCount(0);
  const ticks = page.getByRole("group", { name: /^Schemas to show/ });
  await expect(ticks.getByRole("listitem")).toContainText(["billing2 tables", "logistics0 tables", "public1 table"]);
  await expect(ticks).toContainText("3 of 3");
  await expect(ticks.getByRole("button", { name: "Select all" })).toHaveCount(0);

  await ticks.getByRole("checkbox", { name: "public" }).uncheck();
  await ticks.getByRole("searchbox").fill("log");
  await expect(ticks.getByRole("checkbox")).toHaveCount(1);
  await ticks.getByRole("checkbox", { name: "logistics" }).uncheck();
  await ticks.getByRole("searchbox").fill("");
  await expect(ticks).toContainText("1 of 3");
  // The last one cannot be deselected.
  await expect(ticks.getByRole("checkbox", { name: "billing" })).toBeDisabled();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Connection saved", { exact: true })).toBeVisible();

  await consolePage.open(person.slug);
  await page.goto(address);
  await expect(page.getByRole("textbox", { name: "Schemas to show" })).toHaveValue("billing");
  const home = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const shown = async () => {
    const { data } = await (await page.request.get(`${home}/connectors/${id}/entities`)).json();
    return data.map(({ name }: { name: string }) => name);
  };
  expect(await shown()).toEqual(["invoices", "payments"]);

  // Missing schemas are reported, and one click selects all.
  await page.getByRole("textbox", { name: "Schemas to show" }).fill("billing, archive");
  await page
    .getByRole("button", { name: "Test connection" })
    .or(page.getByRole("button", { name: "Save and test" }))
    .click();
  await expect(ticks.getByRole("listitem").filter({ hasText: "archive" })).toContainText("deleted");
  await ticks.getByRole("button", { name: "Select all" }).click();
  await expect(ticks).toContainText("3 of 3");
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Connection saved", { exact: true })).toBeVisible();
  expect(await shown()).toEqual(["invoices", "payments", "orders"]);
});

test("shows the failed step of a test and what to do", { tag: "@long" }, async ({ page, person }) => {
  test.skip(server === null);
  const shop = server as TestServer;
  const id = await addShop(page, shop);
  await page.goto(`/w/${person.slug}/connections/${id}`);
  const form = page.getByRole("form", { name: "shop-prod" });
  const steps = page.getByRole("list", { name: "Test steps", exact: true }).getByRole("listitem");
  const save = form.getByRole("button", { name: "Save and test" });
  await form.getByRole("button", { name: "Replace" }).click();
  await form.getByLabel("Password", { exact: true }).fill("another password");
  await form.getByRole("button", { name: "Test connection" }).or(save).click();
  await expect(steps).toHaveCount(2);
  await expect(steps.nth(0)).toContainText(/Connect to server.*ms/);
  await expect(steps.nth(1)).toHaveText(/^AuthenticateCheck the user, password and database.*Failed$/);
  await expect(form.getByText("Connection failed.")).toBeVisible();
  await expectAccessible(page);
  if (process.env.LOOK_AT) {
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme });
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await steps.nth(1).scrollIntoViewIfNeeded();
        await page.screenshot({ path: `${process.env.LOOK_AT}/failed-${theme}-${width}.png` });
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  }

  // This server has no certificate.
  await form.getByRole("combobox", { name: /TLS/ }).click();
  await page
    .getByRole("option")
    .filter({ hasText: /^Require/ })
    .first()
    .click();
  await form.getByLabel("Password", { exact: true }).fill(shop.password);
  await form.getByRole("button", { name: "Test again" }).or(save).click();
  await expect(steps.nth(1)).toHaveText(/^Negotiate TLSCheck the server certificate.*Failed$/);
  await expect(steps).toHaveCount(2);
});

test("clears the schema selection for another server, and charts the latency", { tag: "@long" }, async ({
  page,
  person,
}) => {
  test.skip(server === null);
  const id = await addShop(page, server as TestServer);
  await page.goto(`/w/${person.slug}/connections/${id}`);
  await page.getByRole("button", { name: "Test connection" }).click();
  const ticks = page.getByRole("group", { name: /^Schemas to show/ });
  await expect(ticks).toBeVisible();
  await expect(page.getByRole("region", { name: /^Latency/ })).toHaveCount(0);
  await page.getByRole("button", { name: "Test again" }).click();
  const latency = page.getByRole("region", { name: "Latency (last 2 tests)" });
  await expect(latency).toContainText(/median, .+ max/);
  await expect(ticks).toBeVisible();
  await page.getByRole("textbox", { name: "Database" }).fill("another");
  await expect(ticks).toHaveCount(0);
  await expect(page.getByRole("textbox", { name: "Schemas to show" })).toHaveValue("");

  if (process.env.LOOK_AT) {
    await page.reload();
    await page.getByRole("button", { name: "Test connection" }).click();
    await expect(ticks).toBeVisible();
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme });
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: `${process.env.LOOK_AT}/conn-${theme}-${width}.png`, fullPage: true });
      }
    }
  }
});

test("names a schema in the tree while it is loaded", { tag: "@long" }, async ({ page, person, consolePage }) => {
  let answer = () => {};
  await page.route("**/entities*", async (route) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    await route.continue();
  });
  await consolePage.open(person.slug);
  const loading = page.getByRole("treeitem", { name: "Loading schema" });
  await expect(loading).toBeVisible();
  await expectAccessible(page);
  answer();
  await expect(loading).toHaveCount(0);
  await expect(page.getByRole("treeitem", { name: /^orders/ })).toBeVisible();
});

import { expect, expectAccessible, test } from "./fixtures";
import { metricModel } from "./metrics.fixtures";
import { expectNoSidewaysScroll } from "./run.fixtures";
import { workspaceIdOf } from "./settings.fixtures";

test("creates a metric over a table, and lists it with its value", async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/metrics`);
  await page.getByRole("button", { name: "New metric" }).click();
  const dialog = page.getByRole("dialog", { name: "New metric" });
  await dialog.getByRole("textbox", { name: "File name" }).fill("sales");
  await dialog.getByRole("combobox", { name: "Table" }).click();
  await page.getByRole("option", { name: "orders", exact: true }).click();
  await dialog.getByRole("button", { name: "Create metric" }).click();
  await expect(page.getByRole("heading", { name: "Orders count", level: 1 })).toBeVisible();
  await expect(page.getByRole("region", { name: "Definition" })).toContainText("Valid");
  await page.getByRole("navigation", { name: "Metrics" }).getByRole("link", { name: "All metrics" }).click();
  const row = page.getByRole("table", { name: "Metrics" }).getByRole("row", { name: /Orders count/ });
  await expect(row).toContainText(/\d,\d{3}/);
  await expect(row).toContainText("Valid");
  await expectAccessible(page);
});

test("edits with problems at their lines, a live preview and history", async ({ page, person }) => {
  const root = `/api/workspaces/${await workspaceIdOf(page.request)}/metrics/shop`;
  expect((await page.request.put(root, { data: { content: metricModel() } })).status()).toBe(200);
  await page.goto(`/w/${person.slug}/metrics/shop?by=orders.status`);
  const preview = page.getByRole("region", { name: "Preview" });
  await preview.getByRole("combobox", { name: "Period" }).click();
  await page.getByRole("option", { name: "All time" }).click();
  await expect(preview.locator(".metric-value")).toHaveText("100,000");
  await expect(page.getByRole("table", { name: "order_count by orders.status" })).toBeVisible();
  const editor = page.getByRole("textbox", { name: "Definition of shop" });
  const definition = page.getByRole("region", { name: "Definition" });
  await editor.fill(metricModel("COUNT(orders.id"));
  await expect(definition.getByRole("list", { name: "Problems" })).toContainText("Line 27");
  await expect(preview.locator(".metric-value")).toHaveText("100,000");
  await expect(page.getByRole("button", { name: "Save", exact: true })).toBeEnabled();
  await editor.fill(metricModel("COUNT(orders.id) * 2"));
  await expect(preview.locator(".metric-value")).toHaveText("200,000");
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByRole("button", { name: "Save", exact: true })).toBeDisabled();
  const history = page.getByRole("region", { name: /^History/ });
  await history.getByRole("button", { name: /Create shop/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore version" }).click();
  await expect(preview.locator(".metric-value")).toHaveText("100,000");
  await expectAccessible(page);
});

test("is complete on a phone except for editing", { tag: "@long" }, async ({ page, person }) => {
  const root = `/api/workspaces/${await workspaceIdOf(page.request)}/metrics/shop`;
  expect((await page.request.put(root, { data: { content: metricModel() } })).status()).toBe(200);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/w/${person.slug}/metrics`);
  await page.getByRole("link", { name: "Order count" }).click();
  await expect(page.getByRole("region", { name: "Definition" })).toContainText("Edit on a larger screen.");
  await expectNoSidewaysScroll(page);
});

test("shows a metric in a dashboard's widget, which its page lists", async ({ page, person }) => {
  const root = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  expect((await page.request.put(`${root}/metrics/shop`, { data: { content: metricModel() } })).status()).toBe(200);
  const made = await page.request.post(`${root}/dashboards`, { data: { title: "Pulse", widgets: [] } });
  const { id } = (await made.json()).data;
  await page.goto(`/w/${person.slug}/dashboards/${id}/edit`);
  await page.getByRole("button", { name: "Add Table" }).click();
  const side = page.getByRole("complementary", { name: "Table", exact: true });
  const choose = async (label: string, option: string) => {
    await side.getByRole("combobox", { name: label, exact: true }).click();
    await page.getByRole("option", { name: option }).click();
    await expect(page.getByRole("listbox")).toHaveCount(0);
  };
  await choose("Data source", "Metric");
  await choose("Dimension", "orders.status");
  await expect(page.getByRole("article").getByText("order_count").first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save dashboard", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/dashboards/${id}$`));
  await expect(page.getByRole("article").getByText("order_count").first()).toBeVisible();
  await page.goto(`/w/${person.slug}/metrics/shop`);
  const uses = page.getByRole("region", { name: /^Used by/ });
  await expect(uses.getByRole("link", { name: "Pulse", exact: true })).toBeVisible();
  await expect(uses.getByRole("link", { name: / in Pulse$/ })).toBeVisible();
});

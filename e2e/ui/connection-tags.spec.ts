import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { join, workspaceIdOf } from "./settings.fixtures";

const PRODUCTION = { name: "Production", colour: "rose" };

async function setTag(page: Page, tag: object | null, name = "Sample shop"): Promise<string> {
  const wid = await workspaceIdOf(page.request);
  const list = (await (await page.request.get(`/api/workspaces/${wid}/connectors`)).json()).data;
  const { id } = list.find((each: { name: string }) => each.name === name);
  const answer = await page.request.patch(`/api/workspaces/${wid}/connectors/${id}`, { data: { tag } });
  expect(answer.status()).toBe(200);
  return id;
}

test("selects a tag in the form, also by keyboard, and shows it in list and explorer", async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/connections`);
  await page
    .getByRole("row", { name: /Sample shop/ })
    .getByRole("link", { name: "Sample shop" })
    .click();
  const tags = page.getByRole("radiogroup", { name: "Tag" });
  await expect(tags.getByRole("radio", { name: "None" })).toBeChecked();
  await tags.getByRole("radio", { name: "None" }).focus();
  for (const name of ["Test", "Staging", "Production"]) {
    await page.keyboard.press("ArrowRight");
    await expect(tags.getByRole("radio", { name })).toBeChecked();
    await expect(tags.getByRole("radio", { name })).toBeFocused();
  }
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Connection saved", { exact: true })).toBeVisible();
  await expect(page.locator(".conn-facts").getByText("Production")).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Connections" }).getByText("Production")).toBeVisible();
  await page.goto(`/w/${person.slug}/connections`);
  await expect(page.getByRole("row", { name: /Sample shop/ })).toContainText("Production");
});

test("requires a name for a custom tag with a colour", { tag: "@long" }, async ({ page, person }) => {
  const id = await setTag(page, null);
  await page.goto(`/w/${person.slug}/connections/${id}`);
  await page.getByRole("radio", { name: "Custom", exact: true }).click();
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Enter a tag name or choose another tag.")).toBeVisible();
  await page.getByRole("textbox", { name: "Tag name" }).fill("Finance");
  await page.getByRole("combobox", { name: "Tag colour" }).click();
  await page.getByRole("option", { name: "Olive" }).click();
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.locator(".conn-facts").getByText("Finance")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("radio", { name: "Custom", exact: true })).toBeChecked();
  await expect(page.getByRole("textbox", { name: "Tag name" })).toHaveValue("Finance");
  await page.getByRole("radio", { name: "None" }).click();
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.locator(".conn-facts").getByText("Finance")).toHaveCount(0);
});

test("shows the production tag wherever a query can run: tab, chip, Run and tree", async ({ page, person }) => {
  await setTag(page, PRODUCTION);
  await page.goto(`/w/${person.slug}`);
  await expect(page.getByRole("tab", { selected: true })).toHaveAccessibleName(/, Production/);
  await expect(page.getByRole("tab", { selected: true }).getByText("Production")).toBeVisible();
  await expect(page.locator(".bar .chip").getByText("Production")).toBeVisible();
  await expect(page.getByRole("group", { name: "Run" }).getByText("Production")).toBeVisible();
  await expect(page.getByRole("tree", { name: "Schema" }).getByRole("treeitem", { name: /Sample shop/ })).toContainText(
    "Production",
  );
  const dot = page.getByRole("group", { name: "Run" }).locator(".tag-dot");
  const colour = await dot.evaluate((node) => getComputedStyle(node).backgroundColor);
  const rose = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = "var(--viz-4)";
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  });
  expect(colour).toBe(rose);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("shows the tag below the console's name and beside Run, without overflow", { tag: "@long" }, async ({
    page,
    person,
  }) => {
    await setTag(page, { name: "x".repeat(24), colour: "indigo" });
    await page.goto(`/w/${person.slug}`);
    await expect(page.getByRole("heading", { name: "best-sellers.sql" })).toBeVisible();
    const strip = page.getByRole("group", { name: "Run" });
    await expect(strip.locator(".ctag")).toBeVisible();
    await expect(page.locator(".phone-where .ctag")).toBeVisible();
    await strip.getByRole("button", { name: "Run", exact: true }).click();
    await expect(strip.getByText("10 rows")).toBeVisible();
    const edge = await strip.locator(".race-end").evaluate((node) => node.getBoundingClientRect().right);
    expect(edge).toBeLessThanOrEqual(390);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});

test("shows the tag to a member without permission to change it", { tag: "@long" }, async ({
  page,
  person,
  browser,
}) => {
  const id = await setTag(page, PRODUCTION);
  const { page: member } = await join(browser, page, "member");
  await member.goto(`/w/${person.slug}/connections/${id}`);
  await expect(member.getByRole("radio", { name: "Production" })).toBeChecked();
  await expect(member.getByRole("radio", { name: "None" })).toBeDisabled();
});

test("keeps the last test's version and latency in list and status bar", {
  tag: "@long",
}, async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/connections`);
  const row = page.getByRole("row", { name: /Sample shop/ });
  await expect(row).toContainText("Not tested");
  await expect(row).toContainText("Never");
  await row.getByRole("button", { name: "Test Sample shop" }).click();
  await expect(row.getByText(/^Connected, /)).toBeVisible();
  await expect(row).not.toContainText("Never");
  await expect(row).toContainText(/DuckDB \d/);
  await page.reload();
  await expect(row.getByText(/^Connected, /)).toBeVisible();
  await expect(row).toContainText(/DuckDB \d/);
  await expect(page.getByRole("contentinfo")).not.toContainText("DuckDB");
  await page.goto(`/w/${person.slug}`);
  await expect(page.getByRole("contentinfo")).toContainText(/DuckDB \S+, [\d.]+ m?s/);
});

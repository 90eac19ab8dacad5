import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { ChartPage } from "../pages/chart-page";
import { expect, test } from "../ui/fixtures";
import { flowBench } from "../ui/flows.fixtures";
import { addRunnable, LONG, runToEnd } from "../ui/run.fixtures";
import { invite, settings, workspaceIdOf } from "../ui/settings.fixtures";

/*
 * Checks the states of the main pages against WCAG 2.2 AA with axe, at four widths and in both themes. A page is loaded
 * once and made narrower. In the dark theme only colours are checked again, since nothing else differs.
 */

const WIDTHS = [1440, 1024, 768, 390];
/** Widths to check in the dark theme. Layout depends on the width and hardly on colours, so two are enough. */
const DARK_WIDTHS = [1440, 390];
const HEIGHT = 900;
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const DARK_RULES = ["color-contrast", "link-in-text-block"];

// Each test has many states, and axe checks the whole page six times in each.
test.describe.configure({ timeout: 600_000 });

/** Checks the page in its current state, and restores its width and theme. */
async function look(page: Page, state: string): Promise<void> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    for (const theme of DARK_WIDTHS.includes(width) ? (["light", "dark"] as const) : (["light"] as const)) {
      await page.emulateMedia({ colorScheme: theme });
      await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
      // The layout reacts to the width in the next frame.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      // Menus and dialogs are separate layers at the end of the body, outside of every landmark. There are no frames.
      // Passed elements are not listed: that takes most of the time.
      const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode(true);
      const rules = theme === "light" ? axe.withTags(TAGS).disableRules(["region"]) : axe.withRules(DARK_RULES);
      const { violations } = await rules.analyze();
      for (const { id, nodes } of violations) {
        found.push(`${width} ${theme}, ${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
      }
    }
  }
  await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: HEIGHT });
  await page.emulateMedia({ colorScheme: "light" });
  expect.soft(found, state).toEqual([]);
}

test("shows a console before its first run, and with rows in each view", async ({ page, person, consolePage }) => {
  await consolePage.open(person.slug);
  await expect(consolePage.schema.filter({ hasText: "products" })).toBeVisible();
  await look(page, "not run yet, with the agent and the first steps");
  await page.keyboard.press("ControlOrMeta+j");
  await consolePage.create();
  await expect(consolePage.tabs).toHaveCount(2);
  await look(page, "an empty console");

  await consolePage.write("select * from customers limit 30");
  await consolePage.run.click();
  await expect(consolePage.grid).toBeVisible();
  await consolePage.cell(1, 1).click();
  await page.keyboard.press("Shift+ArrowDown");
  await look(page, "with rows");
  // The focused element disappeared with the phone's cards.
  await consolePage.cell(1, 1).click();
  await page.keyboard.press("f");
  await page.keyboard.type("> 1");
  await page.keyboard.press("Enter");
  await expect(page.getByText("1 filter")).toBeVisible();
  await look(page, "with a filter");
  await consolePage.cell(1, 1).click();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("complementary", { name: "Row" })).toBeVisible();
  await look(page, "with a row open");
  await page
    .getByRole("complementary", { name: "Row" })
    .getByRole("button", { name: /^Close/ })
    .click();
  await page.getByRole("radio", { name: "JSON", exact: true }).click();
  await look(page, "as JSON");
  await new ChartPage(page).open();
  await look(page, "as a chart");
});

test("shows a console that explains, fails, finds nothing, runs and is cancelled", async ({
  page,
  person,
  consolePage,
}) => {
  await consolePage.open(person.slug);
  await consolePage.write("select * from customers limit 30");
  await consolePage.strip.getByRole("button", { name: "Explain" }).click();
  await expect(page.getByRole("region", { name: "Plan" })).toBeVisible();
  await look(page, "its plan");
  await page.getByRole("button", { name: "Close plan" }).click();

  await consolePage.write("select nothing_like_this from customers");
  await consolePage.run.click();
  await expect(consolePage.strip.getByText("Failed")).toBeVisible();
  await look(page, "an error");
  await consolePage.write("select * from customers where 1 = 0");
  await consolePage.run.click();
  await expect(consolePage.strip).toContainText("0 rows");
  await look(page, "no rows");
  await consolePage.write(LONG);
  await consolePage.run.click();
  await expect(consolePage.cancel).toBeVisible();
  await look(page, "running");
  await consolePage.cancel.click();
  await expect(consolePage.strip).toContainText("Cancelled");
  await look(page, "cancelled");
});

test("shows a console's history, its schedule, and a table", async ({ page, person, consolePage }) => {
  const { id } = await addRunnable(page.request, "daily.sql", "select 1 as one");
  await runToEnd(page.request, id);
  await page.goto(`/w/${person.slug}/consoles/${id}/history`);
  await expect(page.getByRole("region", { name: "Version", exact: true })).toContainText("select 1 as one");
  await look(page, "history");
  await page.getByRole("button", { name: "Back to query" }).click();
  await page.goto(`/w/${person.slug}/consoles/${id}/schedule`);
  await expect(page.getByRole("region", { name: "Schedule" }).getByRole("radio", { name: "Weekly" })).toBeVisible();
  await look(page, "schedule");
  await page.setViewportSize({ width: 1440, height: HEIGHT });
  await consolePage.schema.filter({ hasText: /^customers/ }).click({ button: "right" });
  await page.getByRole("menuitem", { name: "Preview rows" }).click();
  await expect(page.getByText("First 100 rows")).toBeVisible();
  await look(page, "a table");
});

test("shows layers over a page: palette, search, menus and dialogs", async ({ page, person, consolePage }) => {
  await consolePage.open(person.slug);
  await expect(consolePage.schema.filter({ hasText: "products" })).toBeVisible();
  const open = async (state: string, act: () => Promise<void>, role: "dialog" | "menu" = "dialog") => {
    await act();
    await expect(page.getByRole(role).first()).toBeVisible();
    await look(page, state);
    await page.keyboard.press("Escape");
    await expect(page.getByRole(role)).toHaveCount(0);
  };
  await open("the palette", () => page.keyboard.press("ControlOrMeta+k"));
  await open("the search in texts", async () => {
    await page.keyboard.press("ControlOrMeta+Shift+f");
    await page.getByRole("combobox", { name: "Search in consoles" }).fill("select");
    await expect(page.getByRole("option").first()).toBeVisible();
  });
  await open("a first save", async () => {
    await consolePage.create();
    await consolePage.write("select 1");
    await consolePage.save.click();
  });
  await open("the shortcuts", () => page.getByRole("button", { name: "Keyboard shortcuts" }).click());
  await open("the account's menu", () => consolePage.openAccountMenu(), "menu");
  await open("a console's menu", () => consolePage.row("best-sellers.sql").click({ button: "right" }), "menu");
  await open(
    "a table's menu",
    () => consolePage.schema.filter({ hasText: "products" }).click({ button: "right" }),
    "menu",
  );
  await consolePage.run.click();
  await expect(consolePage.grid).toBeVisible();
  await open("a cell's menu", () => consolePage.cell(1, 1).click({ button: "right" }), "menu");
  await open("export", () => page.getByRole("button", { name: "Export", exact: true }).click());
});

test("shows connections: the list, the form and one of them", async ({ page, person }) => {
  const base = `/api/workspaces/${await workspaceIdOf(page.request)}`;
  const tag = { name: "Production", colour: "rose" };
  const data = { name: "returns", type: "duckdb", config: { file: "returns.duckdb" }, tag };
  const made = await page.request.post(`${base}/connectors`, { data });
  expect(made.status(), await made.text()).toBe(201);
  const { id } = (await made.json()).data;
  await page.request.post(`${base}/connections/sources/${id}/test`);
  await page.goto(`/w/${person.slug}/connections`);
  await expect(page.getByText("File returns.duckdb not found")).toBeVisible();
  await look(page, "the list");
  await page.getByRole("link", { name: "Add connection" }).first().click();
  await expect(page.getByRole("heading", { name: "Add connection" })).toBeVisible();
  await look(page, "a new one");
  await page.goto(`/w/${person.slug}/connections/new?type=postgres`);
  await page.getByRole("button", { name: "Save connection" }).click();
  await expect(page.getByText("Enter a connection name.")).toBeVisible();
  await look(page, "a new one with its problems");
  await page.goto(`/w/${person.slug}/connections/${id}`);
  await expect(page.getByText("Last test failed.")).toBeVisible();
  await look(page, "one that failed its test");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await look(page, "before it is deleted");
});

test("shows flows, a flow run, and the activity", async ({ page, person }) => {
  const { make, home } = await flowBench(page.request);
  const { flow, run } = await make({ trigger: true });
  const status = async () => (await (await page.request.get(`${home}/flows/${flow.id}/runs/${run?.id}`)).json()).data.status; // biome-ignore format: one look
  await expect.poll(status).toBe("success");
  await page.goto(`/w/${person.slug}/flows`);
  await expect(page.getByRole("link", { name: "Products" }).first()).toBeVisible();
  await look(page, "the list of flows");
  await page.goto(`/w/${person.slug}/flows/new`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await look(page, "a new flow");
  await page.goto(`/w/${person.slug}/flows/${flow.id}`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await look(page, "a flow");
  await page.goto(`/w/${person.slug}/flows/${flow.id}/runs/${run?.id}`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await look(page, "a run");
  await page.goto(`/w/${person.slug}/activity`);
  await expect(page.getByText("Products").first()).toBeVisible();
  await look(page, "the activity");
});

test("shows the settings", async ({ page, person }) => {
  await invite(page.request, "mateo@example.com", "member");
  await page.goto(settings(person, "general"));
  for (const name of [
    "General",
    "Members",
    "API keys",
    "Notifications",
    "Agent",
    "Outbox",
    "Profile",
    "Appearance",
    "Keyboard",
    "Sessions",
  ]) {
    // biome-ignore format: one look
    await page.getByRole("complementary").getByRole("link", { name, exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    await expect(page.locator('main [aria-busy="true"]')).toHaveCount(0);
    await look(page, name);
  }
  await page.goto(`/w/${person.slug}/nowhere/at/all`);
  await look(page, "a place that is none");
});

test("shows the agent with an answer", async ({ page, person, consolePage }) => {
  await consolePage.open(person.slug);
  const panel = page.getByRole("complementary", { name: "Agent" });
  await page.getByRole("textbox", { name: "Message the agent" }).fill("How many orders are there?");
  await page.keyboard.press("Enter");
  await expect(panel.getByRole("button", { name: "Helpful", exact: true }).last()).toBeVisible();
  await look(page, "an answer");
});

import type { Locator } from "@playwright/test";
import { expect, expectAccessible, test } from "./fixtures";
import { addRule, addRunnable, expectNoSidewaysScroll, LONG, runToEnd, schedulePath, startRun } from "./run.fixtures";
import { join, workspaceIdOf } from "./settings.fixtures";

const ROWS = "select n, 'row ' || n as label from range(35) t(n)";

test("sets a schedule in words, shows its next runs, and removes it with undo", async ({ page, person }) => {
  const { id } = await addRunnable(page.request, "weekly.sql", ROWS);
  await page.goto(schedulePath(person, id));
  const card = page.getByRole("region", { name: "Schedule" });
  const save = card.getByRole("button", { name: "Save schedule" });
  await expect(save).toBeDisabled();
  await card.getByRole("radio", { name: "Weekly" }).click();
  await card.getByRole("button", { name: "Thu" }).click();
  await card.getByRole("textbox", { name: "Time", exact: true }).fill("06:30");
  await card.getByRole("combobox", { name: "Time zone", exact: true }).fill("vienna");
  await page.getByRole("option", { name: "Europe/Vienna" }).click();
  await expect(card.getByText("Every Monday and Thursday at 06:30")).toBeVisible();
  const next = card.getByRole("list", { name: "Next runs" }).getByRole("listitem");
  await expect(next).toHaveCount(5);
  for (const item of await next.all()) await expect(item).toHaveText(/^(Mon|Thu) \d+ \w{3}( \d{4})? 06:30/);
  await save.click();
  await expect(card.getByText("Runs with your permissions.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Schedule, next run/ })).toBeVisible();
  await page.reload();
  await expect(card.getByText("Every Monday and Thursday at 06:30")).toBeVisible();
  await expect(card.getByRole("combobox", { name: "Time zone", exact: true })).toHaveValue("Europe/Vienna");
  await card.getByRole("button", { name: "Remove schedule" }).click();
  await expect(card.getByRole("radio", { name: "None" })).toHaveAttribute("aria-checked", "true");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card.getByText("Every Monday and Thursday at 06:30")).toBeVisible();
});

test("marks an invalid expression or time zone at its field, and does not save", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const { id } = await addRunnable(page.request, "custom.sql", ROWS);
  await page.goto(schedulePath(person, id));
  const card = page.getByRole("region", { name: "Schedule" });
  await card.getByRole("radio", { name: "Custom", exact: true }).click();
  const cron = card.getByRole("textbox", { name: "Cron expression" });
  await cron.fill("61 * * * *");
  await expect(cron).toHaveAttribute("aria-invalid", "true");
  await expect(card.getByText(/Invalid cron expression/)).toBeVisible();
  await expect(card.getByRole("button", { name: "Save schedule" })).toBeDisabled();
  await cron.fill("0 0 30 2 *");
  await expect(card.getByText("This schedule never runs. Choose existing dates.")).toBeVisible();
  await cron.fill("*/20 8-17 * * 1-5");
  await expect(card.getByText("Every 20 minutes from 08:00 to 17:59, every weekday")).toBeVisible();
  await card.getByRole("combobox", { name: "Time zone", exact: true }).fill("Mars/Base");
  await page.keyboard.press("Tab");
  await expect(card.getByText(/Unknown time zone/)).toBeVisible();
  await expect(card.getByRole("button", { name: "Save schedule" })).toBeDisabled();
  await card.getByRole("combobox", { name: "Time zone", exact: true }).fill("UTC");
  await page.keyboard.press("Tab");
  await card.getByRole("switch", { name: "Enable schedule" }).click();
  await expect(card.getByText("The schedule is off.")).toBeVisible();
  await card.getByRole("button", { name: "Save schedule" }).click();
  await expect(card.getByText("Runs with your permissions.")).toBeVisible();
});

test("warns before overwriting a schedule that someone else changed", { tag: "@long" }, async ({
  browser,
  page,
  person,
}) => {
  const { id } = await addRunnable(page.request, "shared.sql", ROWS);
  const jun = await join(browser, page, "member");
  await page.goto(schedulePath(person, id));
  const card = page.getByRole("region", { name: "Schedule" });
  await card.getByRole("radio", { name: "Daily" }).click();
  const url = `/api/workspaces/${await workspaceIdOf(page.request)}/consoles/${id}/schedule`;
  const theirs = { cron: "0 12 * * *", timezone: "UTC", enabled: true };
  expect((await jun.request.put(url, { data: theirs })).status()).toBe(200);
  await expect(card.getByText("Jun Abe changed this schedule.")).toBeVisible();
  await card.getByRole("button", { name: "Reload schedule" }).click();
  await expect(card.getByText("Every day at 12:00")).toBeVisible();
  await expect(card.getByText("Runs with Jun Abe's permissions.")).toBeVisible();
});

test("shows a manual run with the start of its result, on a colleague's page too", { tag: "@long" }, async ({
  browser,
  page,
  person,
}) => {
  const { id } = await addRunnable(page.request, "now.sql", ROWS);
  const jun = await join(browser, page, "member");
  await jun.page.goto(schedulePath(person, id));
  await expect(jun.page.getByText("No runs yet.")).toBeVisible();
  await page.goto(schedulePath(person, id));
  await page.getByRole("button", { name: "Run now" }).click();
  await expect(page).toHaveURL(/\/schedule\?run=[0-9a-f]{24}$/);
  const result = page.getByRole("region", { name: "Result preview" });
  await expect(result.getByRole("row")).toHaveCount(21);
  await expect(result).toContainText("row 19");
  await expect(page.getByText("First 20 of 35 rows")).toBeVisible();
  await expect(jun.page.getByRole("table", { name: "Runs" }).getByText("Succeeded")).toBeVisible();
});

test("explains a failed run, sends its mail, and opens the run by the mail's link", async ({ page, person }) => {
  const { id } = await addRunnable(page.request, "broken.sql", "select * from nowhere");
  await page.goto(schedulePath(person, id));
  await page.getByRole("button", { name: "Add rule" }).click();
  const panel = page.getByRole("complementary", { name: "New rule" });
  await expect(panel.getByRole("checkbox", { name: "Failure" })).toBeChecked();
  await panel.getByRole("button", { name: "Add rule" }).click();
  await expect(panel.getByText("Enter at least one email address.")).toBeVisible();
  await panel.getByRole("textbox", { name: "Recipients", exact: true }).fill("Ana <ana@example.com>, jun@example.com");
  await panel.getByRole("button", { name: "Add rule" }).click();
  await page.getByRole("complementary").getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Run now" }).click();
  const runs = page.getByRole("region", { name: "Runs" });
  await expect(runs.getByText("Failed", { exact: true })).toBeVisible();
  await expect(runs.getByText("Fix and save the query, then click Run now.")).toBeVisible();
  const log = page.getByRole("table", { name: "Deliveries" });
  await expect(log.getByText("Sent")).toBeVisible();
  const mails = await page.request.get(`/api/workspaces/${await workspaceIdOf(page.request)}/outbox`);
  const mail = (await mails.json()).data.items[0];
  expect(mail.to).toEqual(["ana@example.com", "jun@example.com"]);
  const link = new URL(/https?:\/\/\S+\/consoles\/\S+/.exec(mail.text)?.[0] ?? "");
  expect(link.pathname).toBe(schedulePath(person, id));
  await page.goto(`${link.pathname}${link.search}`);
  await expect(runs.getByText("Fix and save the query, then click Run now.")).toBeVisible();
  // Older links led to the console itself.
  await page.goto(`/w/${person.slug}/consoles/${id}${link.search}`);
  await expect(page).toHaveURL(`${link.pathname}${link.search}`);
  await expect(runs.getByText("Fix and save the query, then click Run now.")).toBeVisible();
});

test("cancels a running run", { tag: "@long" }, async ({ page, person }) => {
  const { id } = await addRunnable(page.request, "long.sql", LONG);
  await page.goto(schedulePath(person, id));
  await startRun(page.request, id);
  const runs = page.getByRole("table", { name: "Runs" });
  await expect(runs.getByText("Running").first()).toBeVisible();
  await runs.getByRole("button", { name: "Cancel" }).click();
  await expect(runs.getByText("Cancelled", { exact: true })).toBeVisible({ timeout: 30_000 });
  await expect(runs.getByRole("button", { name: "Cancel" })).toHaveCount(0);
});

test("distinguishes expired runs and private consoles from empty ones", {
  tag: "@long",
}, async ({ browser, page, person }) => {
  const shared = await addRunnable(page.request, "shared.sql", ROWS);
  const secret = await addRunnable(page.request, "secret.sql", ROWS, "private");
  await addRule(page.request, shared.id, ["failure"], { channelType: "email", recipients: ["ana@example.com"] });
  await page.goto(`${schedulePath(person, shared.id)}?run=${"a".repeat(24)}`);
  await expect(page.getByText("Run not found.")).toBeVisible();
  const jun = await join(browser, page, "member");
  await jun.page.goto(schedulePath(person, secret.id));
  await expect(jun.page.getByRole("heading", { name: "Console not found" })).toBeVisible();
  // Members run and schedule the consoles that they see, and can only read rules.
  await jun.page.goto(schedulePath(person, shared.id));
  await expect(jun.page.getByRole("button", { name: "Run now" })).toBeEnabled();
  await expect(jun.page.getByRole("button", { name: "Add rule" })).toHaveCount(0);
  await jun.page.getByRole("button", { name: "ana@example.com" }).click();
  const panel = jun.page.getByRole("complementary", { name: "ana@example.com" });
  await expect(panel.getByText("Only owners and admins can change rules.")).toBeVisible();
  await expect(panel.getByRole("button", { name: /Save|Delete|Send/ })).toHaveCount(0);
  await expect(jun.page.getByRole("switch", { name: /Enable the rule for/ })).toBeDisabled();
  await jun.page.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test("opens a run by a message's link, within the screen's width", { tag: "@long" }, async ({ page, person }) => {
    const { id } = await addRunnable(page.request, "phone.sql", ROWS);
    const runId = await runToEnd(page.request, id);
    await page.goto(`${schedulePath(person, id)}?run=${runId}`);
    await expect(page.getByRole("region", { name: "Result preview" })).toBeVisible();
    await expectNoSidewaysScroll(page);
    await page.getByRole("radio", { name: "Weekly" }).click();
    await expect(page.getByRole("list", { name: "Next runs" })).toBeVisible();
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
  });
});

for (const theme of ["light", "dark"] as const) {
  test.describe(`in the ${theme} theme`, { tag: theme === "dark" ? "@long" : [] }, () => {
    test.use({ colorScheme: theme });

    test("has an accessible schedule with runs, rules and deliveries", async ({ page, person }) => {
      const { id } = await addRunnable(page.request, "looks.sql", "select * from nowhere");
      await page.goto(schedulePath(person, id));
      await expect(page.getByText("No runs yet.")).toBeVisible();
      await expectAccessible(page);
      await addRule(page.request, id, ["failure"], { channelType: "email", recipients: ["ana@example.com"] });
      const runId = await runToEnd(page.request, id);
      await page.goto(`${schedulePath(person, id)}?run=${runId}`);
      await page.getByRole("radio", { name: "Monthly" }).click();
      await expect(page.getByRole("table", { name: "Deliveries" }).getByText("Sent")).toBeVisible();
      await page.getByRole("button", { name: /^Attempts to/ }).click();
      await expect(page.getByRole("list", { name: "Attempts, newest first" })).toBeVisible();
      await expectAccessible(page);
    });
  });
}

test("edits a console's description and expected rows, with the server's messages at the fields", async ({
  page,
  person,
}) => {
  const { id, name } = await addRunnable(page.request, "daily.sql", ROWS);
  await page.goto(`/w/${person.slug}/consoles/${id}`);
  const details = page.getByRole("dialog", { name: `Details of ${name}` });
  const [description, least, most] = ["Description", "Minimum", "Maximum"].map((each) =>
    details.getByRole("textbox", { name: each }),
  ) as [Locator, Locator, Locator];
  const save = details.getByRole("button", { name: "Save details" });
  await page.getByRole("button", { name: "Console actions" }).click();
  await page.getByRole("menuitem", { name: "Details" }).click();
  await expect(save).toBeDisabled();
  await description.fill("x".repeat(1001));
  await least.fill("2.5");
  await most.fill("many");
  await save.click();
  await expect(details.getByText("Descriptions are limited to 1000 characters.")).toBeVisible();
  await expect(details.getByText("Use a whole number.")).toHaveCount(2);
  await expect(description).toBeFocused();
  await description.fill("Rows of the day");
  await least.fill("50");
  await most.fill("40");
  await save.click();
  await expect(details.getByText("The maximum must not be less than the minimum.")).toBeVisible();
  await most.fill("60");
  await expectAccessible(page);
  await save.dblclick();
  await expect(details).toBeHidden();
  const about = page.getByRole("button", { name: "Edit description: Rows of the day" });
  await expect(about).toBeVisible();

  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await expectNoSidewaysScroll(page);
      const shots = process.env.REVIEW_SHOTS;
      if (!shots) continue;
      await page.screenshot({ path: `${shots}/details-head-${width}-${colorScheme}.png` });
      await page.getByRole("button", { name: "Console actions" }).click();
      await page.getByRole("menuitem", { name: "Details" }).click();
      await page.screenshot({ path: `${shots}/details-${width}-${colorScheme}.png` });
      await page.keyboard.press("Escape");
      await expect(details).toBeHidden();
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });

  // A run that returns 35 rows fails.
  await page.getByRole("button", { name: "Schedule" }).click();
  const card = page.getByRole("region", { name: "Schedule" });
  await expect(card.getByText("Runs with fewer than 50 rows or more than 60 rows fail.")).toBeVisible();
  await runToEnd(page.request, id);
  await expect(page.getByText("Expected at least 50 rows. The query returned 35.").first()).toBeVisible();

  // On a phone the menu of the head opens the same form.
  await page.setViewportSize({ width: 390, height: 844 });
  await card.getByRole("button", { name: "Edit expected rows" }).click();
  await expect(least).toHaveValue("50");
  await details.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Console actions" }).click();
  await page.getByRole("menuitem", { name: "Details" }).click();
  await expect(description).toHaveValue("Rows of the day");
  await least.fill("");
  await most.fill("");
  await expectNoSidewaysScroll(page);
  await save.click();
  await expect(card.getByText("Runs succeed with any number of rows.")).toBeVisible();
  await page.setViewportSize({ width: 1440, height: 900 });
  await about.click();
  await expect(least).toHaveValue("");
  await description.fill("");
  await description.press("ControlOrMeta+Enter");
  await expect(details).toBeHidden();
  await expect(about).toBeHidden();
});

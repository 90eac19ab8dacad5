import { expect, expectAccessible, test } from "./fixtures";
import { addRule, addRunnable, expectNoSidewaysScroll, runToEnd } from "./run.fixtures";
import { join, settings } from "./settings.fixtures";

/** A host that does not exist: requests fail at once, on any machine. */
const NOWHERE = "https://hooks.nowhere.invalid/in";
const FAILS = "select * from nowhere";

test("shows a webhook's secret once, tests the rule, and rotates the secret", async ({ page, person }) => {
  await addRunnable(page.request, "told.sql", "select 1");
  await page.goto(settings(person, "notifications"));
  await expect(page.getByRole("heading", { name: "No rules yet" })).toBeVisible();
  await page.getByRole("button", { name: "New rule" }).click();
  const fresh = page.getByRole("complementary", { name: "New rule" });
  await fresh.getByRole("button", { name: "Add rule" }).click();
  await expect(fresh.getByText("Select a console or flow.")).toBeVisible();
  await fresh.getByRole("combobox", { name: "Resource", exact: true }).click();
  await page.getByRole("option", { name: "told.sql" }).click();
  await fresh.getByRole("radio", { name: "Webhook" }).click();
  await fresh.getByRole("textbox", { name: "URL", exact: true }).fill("http://169.254.169.254/latest");
  await fresh.getByRole("button", { name: "Add rule" }).click();
  await expect(fresh.locator(".help.bad:visible, [role=alert]")).not.toHaveCount(0);
  await fresh.getByRole("textbox", { name: "URL", exact: true }).fill(NOWHERE);
  await fresh.getByRole("button", { name: "Add rule" }).click();
  const banner = page.getByRole("region", { name: "The new secret" });
  const secret = await banner.getByRole("textbox", { name: "Secret" }).inputValue();
  expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/);
  await banner.getByText("Verify the signature").click();
  await expect(banner.getByText("timingSafeEqual(given, expected)")).toBeVisible();
  const panel = page.getByRole("complementary", { name: /hooks\.nowhere\.invalid/ });
  await panel.getByRole("button", { name: "Send test" }).click();
  await expect(panel.getByRole("alert")).toContainText("Not delivered");
  await banner.getByRole("button", { name: "Done", exact: true }).click();
  await expect(banner).toHaveCount(0);
  await page.reload();
  await expect(panel).toBeVisible();
  await expect(banner).toHaveCount(0);
  expect(await page.content()).not.toContain(secret);
  await panel.getByRole("button", { name: "Rotate secret" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
  await expect(banner.getByRole("textbox", { name: "Secret" })).not.toHaveValue(secret);
  await banner.getByRole("button", { name: "Done", exact: true }).click();
  await panel.getByRole("button", { name: "Delete rule" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete rule" }).click();
  await expect(page.getByRole("heading", { name: "No rules yet" })).toBeVisible();
});

test("changes, disables and tests a rule by email", { tag: "@long" }, async ({ page, person }) => {
  const { id } = await addRunnable(page.request, "told.sql", "select 1");
  const ruleId = await addRule(page.request, id, ["failure"], {
    channelType: "email",
    recipients: ["ana@example.com"],
  });
  await page.goto(`${settings(person, "notifications")}?rule=${ruleId}`);
  const panel = page.getByRole("complementary", { name: "ana@example.com" });
  await panel.getByRole("button", { name: "Send test" }).click();
  await expect(panel.getByRole("status")).toContainText("Accepted");
  await panel.getByRole("checkbox", { name: "Success" }).check();
  await panel.getByRole("textbox", { name: "Recipients", exact: true }).fill("jun@example.com");
  await panel.getByRole("button", { name: "Save rule" }).click();
  const row = page.getByRole("table", { name: "Rules" }).getByRole("row", { name: /jun@example\.com/ });
  await expect(row.getByRole("cell", { name: "Both" })).toBeVisible();
  await row.getByRole("switch").click();
  await expect(row.getByRole("switch")).not.toBeChecked();
  await page.reload();
  await page.getByRole("radio", { name: "Off" }).click();
  await expect(row.getByRole("switch")).not.toBeChecked();
  await page.getByRole("radio", { name: "Flows" }).click();
  await expect(page.getByText("No matching rules.")).toBeVisible();
});

test("goes two rules back after a reload, with a slow server", { tag: "@long" }, async ({ page, person }) => {
  const { id } = await addRunnable(page.request, "told.sql", "select 1");
  for (const address of ["ana@example.com", "jun@example.com"]) {
    await addRule(page.request, id, ["failure"], { channelType: "email", recipients: [address] });
  }
  await page.goto(settings(person, "notifications"));
  const rules = page.getByRole("table", { name: "Rules" });
  const ana = page.getByRole("complementary", { name: "ana@example.com" });
  const jun = page.getByRole("complementary", { name: "jun@example.com" });
  await rules.getByRole("button", { name: /ana@example\.com/ }).click();
  await expect(ana).toBeVisible();
  await rules.getByRole("button", { name: /jun@example\.com/ }).click();
  await expect(jun).toBeVisible();
  await page.reload();
  await expect(jun).toBeVisible();

  const held = Promise.withResolvers<void>();
  let asked = 0;
  await page.route(/_rsc=/, async (route) => {
    // Links in sight are prefetched whenever the page has time.
    const isPrefetch = route.request().headers()["next-router-prefetch"] !== undefined;
    asked += !isPrefetch && new URL(route.request().url()).pathname.endsWith("/notifications") ? 1 : 0;
    await held.promise;
    await route.continue();
  });
  await page.goBack();
  await expect(ana).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/notifications$/);
  await expect(ana).toHaveCount(0);
  held.resolve();
  await page.goForward();
  await expect(ana).toBeVisible();
  await expect(page).toHaveURL(/\?rule=/);
  expect(asked).toBe(0);
});

test("shows a failed delivery live, and resends it", async ({ page, person }) => {
  const { id } = await addRunnable(page.request, "told.sql", FAILS);
  await addRule(page.request, id, ["failure"], { channelType: "webhook", url: NOWHERE });
  await addRule(page.request, id, ["failure"], { channelType: "email", recipients: ["ana@example.com"] });
  await page.goto(settings(person, "notifications"));
  await expect(page.getByText("No deliveries yet. Open a rule and send a test.")).toBeVisible();
  await runToEnd(page.request, id);
  const log = page.getByRole("table", { name: "Deliveries" });
  const row = log.getByRole("row", { name: /hooks\.nowhere\.invalid/ });
  await expect(row.getByText("Failed")).toBeVisible({ timeout: 30_000 });
  await expect(log.getByRole("row", { name: /ana@example\.com/ }).getByText("Sent")).toBeVisible();
  await row.getByRole("button", { name: /^Attempts to/ }).click();
  const attempts = log.getByRole("list", { name: "Attempts, newest first" }).getByRole("listitem");
  await expect(attempts).toHaveCount(6);
  await expect(attempts.first()).toContainText("Host not found");
  await row.getByRole("button", { name: "Resend", exact: true }).click();
  await expect(attempts).toHaveCount(12, { timeout: 30_000 });
  await expect(row.getByText("Failed")).toBeVisible();
  await page.getByRole("combobox", { name: "Status" }).click();
  await page.getByRole("option", { name: "Sent" }).click();
  await expect(row).toHaveCount(0);
  await expect(log.getByRole("row", { name: /ana@example\.com/ })).toBeVisible();
  await page.getByRole("combobox", { name: "Rule", exact: true }).click();
  await page.getByRole("option", { name: /hooks\.nowhere\.invalid/ }).click();
  await expect(page.getByText("No matching deliveries.")).toBeVisible();
});

test("shows a member rules and deliveries read-only, without private ones", async ({ browser, page, person }) => {
  const shared = await addRunnable(page.request, "shared.sql", FAILS);
  const secret = await addRunnable(page.request, "secret.sql", FAILS, "private");
  const mail = (name: string) => ({ channelType: "email" as const, recipients: [`${name}@example.com`] });
  await addRule(page.request, shared.id, ["failure"], mail("shared"));
  await addRule(page.request, secret.id, ["failure"], mail("secret"));
  const jun = await join(browser, page, "member");
  await jun.page.goto(settings(person, "notifications"));
  await expect(jun.page.getByText("Only owners and admins can change rules.")).toBeVisible();
  await expect(jun.page.getByRole("button", { name: "shared@example.com" })).toBeVisible();
  await expect(jun.page.getByText("secret@example.com")).toHaveCount(0);
  await expect(jun.page.getByRole("button", { name: "New rule" })).toHaveCount(0);
  await expect(jun.page.getByRole("switch")).toBeDisabled();
  await runToEnd(page.request, secret.id);
  await runToEnd(page.request, shared.id);
  await expect(jun.page.getByRole("table", { name: "Deliveries" }).getByRole("row")).toHaveCount(2);
});

test("an admin may change rules", { tag: "@long" }, async ({ browser, page, person }) => {
  const { id } = await addRunnable(page.request, "shared.sql", FAILS);
  await addRule(page.request, id, ["failure"], { channelType: "email", recipients: ["shared@example.com"] });
  const admin = await join(browser, page, "admin", "Mateo Ruiz");
  await admin.page.goto(settings(person, "notifications"));
  await expect(admin.page.getByRole("button", { name: "New rule" })).toBeVisible();
  await expect(admin.page.getByRole("switch")).toBeEnabled();
});

for (const [theme, width] of [
  ["light", 1440],
  ["dark", 390],
] as const) {
  test.describe(`in the ${theme} theme, ${width} wide`, { tag: theme === "dark" ? "@long" : [] }, () => {
    test.use({ colorScheme: theme, viewport: { width, height: 844 } });

    test("has accessible rules and deliveries that fit", async ({ page, person }) => {
      const { id } = await addRunnable(page.request, "told.sql", FAILS);
      const recipients = ["ana@example.com"];
      const ruleId = await addRule(page.request, id, ["failure"], { channelType: "email", recipients });
      await runToEnd(page.request, id);
      await page.goto(settings(person, "notifications"));
      await page.getByRole("button", { name: /^Attempts to/ }).click();
      await expect(page.getByRole("list", { name: "Attempts, newest first" })).toBeVisible();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await page.goto(`${settings(person, "notifications")}?rule=${ruleId}`);
      await expect(page.getByRole("complementary", { name: "ana@example.com" })).toBeVisible();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
    });
  });
}

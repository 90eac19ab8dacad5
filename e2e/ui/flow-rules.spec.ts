import { expect, expectAccessible, test } from "./fixtures";
import { flowBench } from "./flows.fixtures";
import { expectNoSidewaysScroll } from "./run.fixtures";
import { join } from "./settings.fixtures";

/** A host that does not exist: requests fail at once, on any machine. */
const NOWHERE = "https://hooks.nowhere.invalid/in";

test("adds and tests a rule on the flow's page, with its deliveries below", { tag: "@long" }, async ({
  browser,
  page,
  person,
}) => {
  const { make } = await flowBench(page.request);
  const { flow } = await make({ name: "Products" });
  await page.goto(`/w/${person.slug}/flows/${flow.id}`);
  const rules = page.getByRole("region", { name: "Notifications", exact: true });
  await expect(rules).toContainText("No notifications yet.");
  await rules.getByRole("button", { name: "Add rule" }).click();
  const fresh = page.getByRole("complementary", { name: "New rule" });
  // The rule is for this flow only, so there is no choice of a flow.
  await expect(fresh.getByRole("combobox")).toHaveCount(0);
  await fresh.getByRole("checkbox", { name: "Success" }).check();
  await fresh.getByRole("textbox", { name: "Recipients", exact: true }).fill("ana@example.com");
  await fresh.getByRole("button", { name: "Add rule" }).click();
  const panel = page.getByRole("complementary", { name: "ana@example.com" });
  await panel.getByRole("button", { name: "Send test" }).click();
  await expect(panel.getByRole("status")).toContainText("Accepted");
  await panel.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Run now" }).click();
  await expect(page.getByRole("group", { name: "Run" }).getByText("Succeeded")).toBeVisible({ timeout: 30_000 });
  const sent = page.getByRole("table", { name: "Deliveries" }).getByRole("row", { name: /ana@example\.com/ });
  await expect(sent.getByText("Sent")).toBeVisible({ timeout: 30_000 });
  await expectAccessible(page);
  await rules.getByRole("switch").click();
  await expect(rules.getByRole("switch")).not.toBeChecked();

  const jun = await join(browser, page, "member");
  await jun.page.goto(`/w/${person.slug}/flows/${flow.id}`);
  const read = jun.page.getByRole("region", { name: "Notifications", exact: true });
  await expect(read.getByRole("switch")).toBeDisabled();
  await expect(read.getByRole("button", { name: "Add rule" })).toHaveCount(0);
});

for (const [theme, width] of [
  ["dark", 1440],
  ["light", 390],
] as const) {
  test.describe(`in the ${theme} theme, ${width} wide`, () => {
    test.use({ colorScheme: theme, viewport: { width, height: 844 } });

    test("has rules on a webhook's page, and shows a rule's secret once", { tag: "@long" }, async ({
      page,
      person,
    }) => {
      const { home, make, into } = await flowBench(page.request);
      const destination = { connectionId: into, table: "events", write: "append" };
      const { flow } = await make({ name: "Carrier tracking", type: "webhook", source: undefined, destination });
      await page.request.post(`${home}/flows/${flow.id}/webhook/provision`, { data: {} });
      await page.goto(`/w/${person.slug}/flows/${flow.id}/webhook`);
      const rules = page.getByRole("region", { name: "Notifications", exact: true });
      await rules.getByRole("button", { name: "Add rule" }).click();
      const fresh = page.getByRole("complementary", { name: "New rule" });
      await fresh.getByRole("radio", { name: "Webhook" }).click();
      await fresh.getByRole("textbox", { name: "URL", exact: true }).fill(NOWHERE);
      await fresh.getByRole("button", { name: "Add rule" }).click();
      const banner = page.getByRole("region", { name: "The new secret" });
      expect(await banner.getByRole("textbox", { name: "Secret" }).inputValue()).toMatch(/^whsec_[0-9a-f]{64}$/);
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      const panel = page.getByRole("complementary", { name: /hooks\.nowhere\.invalid/ });
      await panel.getByRole("button", { name: "Send test" }).click();
      await expect(panel.getByRole("alert")).toContainText("Not delivered");
      await banner.getByRole("button", { name: "Done", exact: true }).click();
      await page.keyboard.press("Escape");
      await expect(panel).toHaveCount(0);
      await expect(rules.getByRole("button", { name: /hooks\.nowhere\.invalid/ })).toBeVisible();
      await page.reload();
      await expect(rules.getByRole("button", { name: /hooks\.nowhere\.invalid/ })).toBeVisible();
      expect(await page.content()).not.toContain("whsec_");
      await expectNoSidewaysScroll(page);
    });
  });
}

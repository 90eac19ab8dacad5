import { expect, expectAccessible, test } from "./fixtures";
import { join, settings, workspaceIdOf } from "./settings.fixtures";

for (const theme of ["light", "dark"] as const) {
  test(`lets an admin edit the agent's instructions and a member read them, in the ${theme} theme`, async ({
    page,
    person,
    browser,
  }) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.goto(settings(person, "agent"));
    await expect(page.getByRole("table", { name: "Models" })).toContainText("millrace/offline");
    const field = page.getByRole("textbox", { name: "Workspace instructions" });
    await field.fill("A week starts on Monday.");
    await page.getByRole("button", { name: "Save instructions" }).click();
    await expect(page.getByText(/Last saved .* by Ines Okafor/)).toBeVisible();
    await expectAccessible(page);
    await page.reload();
    await expect(field).toHaveValue("A week starts on Monday.");
    const jun = await join(browser, page, "member");
    await jun.page.goto(settings(person, "agent"));
    await expect(jun.page.getByText("A week starts on Monday.")).toBeVisible();
    await expect(jun.page.getByText("Only owners and admins can edit the instructions.")).toBeVisible();
    await expect(jun.page.getByRole("button", { name: "Save instructions" })).toHaveCount(0);
  });
}

test("asks before losing unsaved instructions, keeps them over others' saves, and overwrites on request", {
  tag: "@long",
}, async ({ page, person, browser }) => {
  await page.goto(settings(person, "agent"));
  const field = page.getByRole("textbox", { name: "Workspace instructions" });
  await field.fill("Mine.");
  await page.getByRole("link", { name: "Dashboards" }).first().click();
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await expectAccessible(page);
  await question.getByRole("button", { name: "Stay" }).click();
  await expect(field).toHaveValue("Mine.");

  const jun = await join(browser, page, "admin");
  const written = await jun.request.put(`/api/workspaces/${await workspaceIdOf(page.request)}/agent/instructions`, {
    data: { text: "Theirs." },
  });
  expect(written.status(), await written.text()).toBe(200);
  // A user who comes back to the page after a while reloads it.
  await page.clock.install();
  await page.clock.fastForward(120_000);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  const notice = page.getByText(/^Jun Abe saved a newer version/);
  await expect(notice).toBeVisible();
  await expect(field).toHaveValue("Mine.");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Load their version" }).click();
  await expect(field).toHaveValue("Theirs.");
  await expect(notice).toHaveCount(0);
  await page.getByRole("link", { name: "Dashboards" }).first().click();
  await expect(page).toHaveURL(/\/dashboards$/);
});

test("fills a client's configuration with the new read-only key, which works", { tag: "@long" }, async ({
  page,
  person,
  playwright,
  baseURL,
}) => {
  await page.goto(settings(person, "api-keys"));
  await page.getByRole("link", { name: "Connect an MCP client" }).click();
  const lines = page.getByRole("region", { name: "Client configuration" });
  await expect(lines).toContainText("Bearer YOUR_API_KEY");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("My editor");
  await page.getByRole("button", { name: "Create key" }).click();
  const key = await page.getByRole("textbox", { name: "Key", exact: true }).inputValue();
  await expect(lines).toContainText(`Bearer ${key}`);
  await expect(lines).toContainText("/api/mcp");
  await expectAccessible(page);
  const client = await playwright.request.newContext({ baseURL });
  const answer = await client.post("/api/mcp", {
    headers: { Authorization: `Bearer ${key}`, Accept: "application/json, text/event-stream" },
    data: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  });
  const text = await answer.text();
  expect(text).toContain("run_query");
  expect(text).not.toContain("save_console");
  await client.dispose();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await expect(lines).toContainText("Bearer YOUR_API_KEY");
});

import { expect, expectAccessible, test } from "./fixtures";
import { join, settings } from "./settings-people";

for (const theme of ["light", "dark"] as const) {
  test(`an admin writes what the agent is told, and a member reads it, in the ${theme} theme`, async ({
    page,
    person,
    browser,
  }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
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
    await expect(jun.page.getByText("You are a member here.")).toBeVisible();
    await expect(jun.page.getByRole("button", { name: "Save instructions" })).toHaveCount(0);
  });
}

test("the lines for a client hold the key that was just made, which may only read and works", async ({
  page,
  person,
  playwright,
  baseURL,
}) => {
  await page.goto(settings(person, "api-keys"));
  await page.getByRole("link", { name: "Connect an MCP client" }).click();
  const lines = page.getByRole("region", { name: "Lines for the client" });
  await expect(lines).toContainText("Bearer YOUR_API_KEY");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByRole("textbox", { name: "What is it for" }).fill("My editor");
  await page.getByRole("button", { name: "Make key" }).click();
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
  await page.getByRole("button", { name: "I have saved it" }).click();
  await expect(lines).toContainText("Bearer YOUR_API_KEY");
});

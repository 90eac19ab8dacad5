import { expect, expectAccessible, test } from "./fixtures";
import { invite, join, settings, workspaceIdOf } from "./settings.fixtures";

/*
 * Runs without snapshots. The trace recorder takes them with a script in every frame, and Chromium reports each time
 * that the mail's frame blocks it. Without them, every such report comes from the page itself.
 */
test.use({ trace: { mode: "retain-on-failure", snapshots: false } });

const NAME = "<script>parent.ran = 1</script><img src=x onerror=alert(1)>";

test("shows each mail as its reader sees it, without running or loading content", async ({ page, person }) => {
  await page.goto(settings(person, "outbox"));
  await expect(page.getByRole("heading", { name: "No emails yet" })).toBeVisible();
  const wid = await workspaceIdOf(page.request);
  expect((await page.request.patch(`/api/workspaces/${wid}`, { data: { name: NAME } })).status()).toBe(200);
  const token = await invite(page.request, "mateo@example.com", "member");
  await page.reload();
  await expect(page.getByRole("cell", { name: "mateo@example.com" })).toBeVisible();
  await expect(page.getByText("Not sent", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: /invited you/ }).click();
  await expect(page).toHaveURL(/\?mail=[0-9a-f]{24}$/);
  const frame = page.locator("iframe");
  await expect(frame).toHaveAttribute("sandbox", "");
  await expect(frame).toHaveAttribute("srcdoc", /Accept invitation/);
  // The name is plain text in the mail, and its markup neither ran nor was blocked: the page reported nothing.
  await expect(page.frameLocator("iframe").getByText(NAME).last()).toBeVisible();
  await page.getByRole("radio", { name: "Text" }).click();
  await expect(page.getByRole("region", { name: "Email text" })).toContainText(`/invites/${token}`);
  // The address reopens the same mail.
  await page.reload();
  await expect(page.getByRole("dialog").getByText("mateo@example.com")).toBeVisible();
  await page.getByRole("button", { name: "Close" }).click();
  await expect(page).toHaveURL(settings(person, "outbox"));
});

test("tells an admin who reads owner invitations, and keeps the invitation", { tag: "@long" }, async ({
  page,
  person,
  browser,
}) => {
  const jun = (await join(browser, page, "admin")).page;
  const token = await invite(page.request, "mateo@example.com", "owner");
  await jun.goto(settings(person, "outbox"));
  const row = jun.getByRole("row", { name: /mateo@example.com/ });
  await row.getByRole("button", { name: /invited you/ }).click();
  const mail = jun.getByRole("dialog");
  await expect(mail).toContainText("Only owners can read this email");
  await expect(mail.locator("iframe")).toHaveCount(0);
  await expect(mail.getByRole("button", { name: "Copy text" })).toHaveCount(0);
  expect(await jun.content()).not.toContain(token);
  await jun.goto(settings(person, "members"));
  const waiting = jun
    .getByRole("table", { name: "Pending invitations" })
    .getByRole("row", { name: /mateo@example.com/ });
  await expect(waiting).toContainText("Only owners can change owners");
  await expect(waiting.getByRole("button")).toHaveCount(0);
});

for (const theme of ["light", "dark"] as const) {
  test.describe(`in the ${theme} theme`, { tag: theme === "dark" ? "@long" : [] }, () => {
    test.use({ colorScheme: theme });

    test("has an accessible outbox and mail", { tag: "@long" }, async ({ page, person }) => {
      await page.goto(settings(person, "outbox"));
      await expect(page.getByRole("heading", { name: "No emails yet" })).toBeVisible();
      await expectAccessible(page);
      await invite(page.request, "mateo@example.com", "member");
      await page.reload();
      await expect(page.getByText("Not sent", { exact: true })).toBeVisible();
      await expectAccessible(page);
      await page.getByRole("button", { name: /invited you/ }).click();
      // The preview runs no scripts, including the checker: it can only check the plain text.
      await page.getByRole("radio", { name: "Text" }).click();
      await expect(page.locator("iframe")).toHaveCount(0);
      await expectAccessible(page);
    });
  });
}

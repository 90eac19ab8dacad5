import { expect, expectAccessible, test } from "./fixtures";
import { invite, join, settings } from "./settings.fixtures";

for (const theme of ["light", "dark"] as const) {
  test.describe(`in the ${theme} theme`, { tag: theme === "dark" ? "@long" : [] }, () => {
    test.use({ colorScheme: theme });

    test("has accessible workspace settings", async ({ page, person }) => {
      await invite(page.request, "mateo@example.com", "member");
      await page.goto(settings(person, "general"));
      await expect(page.getByRole("button", { name: "Delete workspace" })).toBeVisible();
      await expectAccessible(page);
      await page.goto(settings(person, "members"));
      await expect(page.getByRole("table", { name: "Pending invitations" })).toBeVisible();
      await expectAccessible(page);
      await page.goto(settings(person, "api-keys"));
      await page.getByRole("button", { name: "New key" }).click();
      await expectAccessible(page);
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("Nightly export job");
      await page.getByRole("button", { name: "Create key" }).click();
      await expect(page.getByRole("region", { name: "The new key" })).toBeVisible();
      await expectAccessible(page);
    });

    test("has accessible personal settings", async ({ page, person }) => {
      for (const section of ["profile", "appearance", "keyboard", "sessions"]) {
        await page.goto(settings(person, section));
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        if (section === "sessions") await expect(page.getByText("This device")).toBeVisible();
        await expectAccessible(page);
      }
    });

    test("has accessible settings for a member", { tag: "@long" }, async ({ page, person, browser }) => {
      const jun = await join(browser, page, "member");
      await jun.page.emulateMedia({ colorScheme: theme });
      for (const section of ["general", "members", "api-keys", "outbox"]) {
        await jun.page.goto(settings(person, section));
        await expect(jun.page.getByText("Only owners and admins can")).toBeVisible();
        await expectAccessible(jun.page);
      }
    });

    test("has accessible password reset and invitation pages", async ({ page, person, browser }) => {
      const token = await invite(page.request, "mateo@example.com", "member");
      await page.goto(`/invites/${token}`);
      await expect(page.getByText(`You're signed in as ${person.email}`)).toBeVisible();
      await expectAccessible(page);
      const context = await browser.newContext({ colorScheme: theme });
      const stranger = await context.newPage();
      for (const path of [`/invites/${token}`, "/invites/nothing", "/forgot", "/reset/nothing", "/docs/api"]) {
        await stranger.goto(path);
        await expect(stranger.getByRole("heading", { level: 1 })).toBeVisible();
        await expectAccessible(stranger);
      }
      await context.close();
    });
  });
}

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("lists the settings, with a way back from each page", { tag: "@long" }, async ({ page, person }) => {
    await page.goto(`/w/${person.slug}`);
    // The name appears once the page is hydrated.
    await expect(page.getByRole("heading", { name: "best-sellers.sql" })).toBeVisible();
    await page.getByRole("button", { name: "More", exact: true }).tap();
    await page.getByRole("link", { name: "Settings" }).tap();
    await expect(page.getByRole("link", { name: "Members" })).toBeVisible();
    await page.getByRole("link", { name: "Members" }).tap();
    await expect(page.getByRole("heading", { name: "Members", level: 1 })).toBeVisible();
    await expect(page.getByText("Ines Okafor")).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole("main").getByRole("link", { name: "Settings" }).tap();
    await expect(page.getByRole("link", { name: "Sessions" })).toBeVisible();
  });
});

test.describe("on a narrow window", () => {
  test.use({ viewport: { width: 800, height: 900 } });

  test("overlays the list of settings, and closes it once a page is selected", { tag: "@long" }, async ({
    page,
    person,
  }) => {
    await page.goto(settings(person, "general"));
    await expect(page.getByRole("link", { name: "Sessions" })).toBeHidden();
    await page.getByRole("button", { name: "Show explorer" }).click();
    await page.getByRole("link", { name: "Sessions" }).click();
    await expect(page.getByRole("heading", { name: "Sessions", level: 1 })).toBeVisible();
    await expect(page.getByRole("link", { name: "Outbox" })).toBeHidden();
  });
});

test("searches, opens and links the API reference", async ({ page }) => {
  await page.goto("/docs/api");
  await page.getByRole("searchbox", { name: "Search endpoints" }).fill("post api key");
  const endpoint = page.getByRole("group").filter({ hasText: "Create an API key" });
  await expect(page.getByText("List API keys")).toHaveCount(0);
  await endpoint.getByText("Create an API key").click();
  await expect(endpoint.getByText("Owners and admins, signed in. No API keys.")).toBeVisible();
  await expect(endpoint.getByRole("table", { name: "Body" })).toContainText("expiresAt");
  await expect(endpoint.getByRole("region", { name: "Example: Create an API key" })).toContainText("curl -X POST");
  await page.reload();
  await expect(page.getByRole("table", { name: "Body" })).toBeVisible();
  await page.getByRole("searchbox", { name: "Search endpoints" }).fill("tea leaves");
  await expect(page.getByText('No endpoints match "tea leaves".')).toBeVisible();
});

test("explains a failed reference and reloads it on request", { tag: "@long" }, async ({ page }) => {
  await page.route("**/api/openapi.json", (route) => route.fulfill({ status: 503, body: "" }));
  await page.goto("/docs/api");
  await expect(page.getByText("The server returned status 503.")).toBeVisible();
  await page.unroute("**/api/openapi.json");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("heading", { name: "Connections" })).toBeVisible();
});

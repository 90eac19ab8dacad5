import { LoginPage } from "../pages/login-page";
import { expect, expectAccessible, test } from "./fixtures";

test("ends the session on sign-out, and returns to the requested page after sign-in", async ({
  page,
  person,
  consolePage,
}) => {
  await consolePage.open(person.slug);
  await expect(page).toHaveURL(/\/consoles\/[0-9a-f]{24}$/);
  const wanted = new URL(page.url()).pathname;
  await consolePage.openAccountMenu();
  await expect(page.getByRole("menu")).toContainText(person.name);
  await expect(page.getByRole("menu")).toContainText(person.email);
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/login$/);

  await page.goto(wanted);
  await expect(page).toHaveURL(`/login?next=${encodeURIComponent(wanted)}`);
  const login = new LoginPage(page);
  await login.signIn(person.email, person.password);
  await expect(page).toHaveURL(wanted);
  await expect(consolePage.editor).toBeVisible();
});

test("reports a wrong password without naming the wrong part, and keeps the address", async ({ page, person }) => {
  await page.context().clearCookies();
  const login = new LoginPage(page);
  await login.open();
  await login.signIn(person.email, "wrong-password");
  await expect(login.failure).toBeVisible();
  await expect(login.email).toHaveValue(person.email);
  await expect(login.password).toBeFocused();
});

test("marks missing fields, and accepts a password manager's values", { tag: "@long" }, async ({ page, person }) => {
  await page.context().clearCookies();
  const login = new LoginPage(page);
  await login.open();
  await expect(login.email).toBeFocused();
  await expect(login.email).toHaveAttribute("autocomplete", "username");
  await expect(login.password).toHaveAttribute("autocomplete", "current-password");
  await login.submit.click();
  await expect(login.email).toHaveAccessibleDescription("Enter your email address.");
  await expect(login.password).toHaveAccessibleDescription("Enter your password.");
  await expect(login.email).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.type("ines");
  await expect(login.email).toHaveAccessibleDescription(/Add an @/);
  await login.email.fill(person.email);
  await expect(login.email).not.toHaveAttribute("aria-invalid", "true");
  await login.submit.click();
  await expect(login.password).toBeFocused();
  // As some extensions do, without an event.
  await login.password.evaluate((field, value) => {
    (field as HTMLInputElement).value = value;
  }, person.password);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/consoles\//);
});

test("says when to retry after a rate limit or without a server, and then signs in", async ({ page, person }) => {
  await page.context().clearCookies();
  const login = new LoginPage(page);
  await login.open();
  await page.route("**/api/auth/login", (route) =>
    route.fulfill({
      status: 429,
      headers: { "retry-after": "600" },
      json: { success: false, error: "Too many tries with this address.", code: "rate_limited" },
    }),
  );
  await login.signIn(person.email, person.password);
  await expect(login.failure).toHaveText("Too many tries with this address. Try again in 10 minutes.");
  await page.unroute("**/api/auth/login");
  await page.context().setOffline(true);
  await login.submit.click();
  await expect(login.failure).toHaveText("The server did not respond. Check your network, then try again.");
  await expect(login.submit).toBeEnabled();
  await page.context().setOffline(false);
  await login.submit.click();
  await expect(page).toHaveURL(/\/consoles\//);
});

test("redirects to no other site after sign-in", async ({ page, person }) => {
  await page.context().clearCookies();
  const login = new LoginPage(page);
  await login.open(`?next=${encodeURIComponent("//evil.example/w")}`);
  await login.signIn(person.email, person.password);
  await expect(page).toHaveURL(new RegExp(`/w/${person.slug}(/|$)`));
});

test("shows the same page for a workspace without access and an unknown one", { tag: "@long" }, async ({
  page,
  person,
}) => {
  await page.goto(`/w/${person.slug}-of-somebody-else`);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await page.goto(`/w/${person.slug}/consoles/not-mine`);
  await expect(page.getByRole("heading", { name: "Console not found" })).toBeVisible();
  await page.getByRole("button", { name: "Back to consoles" }).click();
  await expect(page.getByRole("textbox", { name: / query$/ })).toBeVisible();
});

test("keeps the frame for an unknown path in the workspace", { tag: "@long" }, async ({ page, person }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  for (const path of ["nowhere", "flows/new/nowhere/at/all", "settings/nowhere"]) {
    await page.goto(`/w/${person.slug}/${path}`);
    await expect(page.getByRole("heading", { name: "You can't open this page" })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Workspace" })).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await expectAccessible(page);
  }
  await page.getByRole("link", { name: "Back to consoles" }).click();
  await expect(page.getByRole("textbox", { name: / query$/ })).toBeVisible();
  await page.context().clearCookies();
  await page.goto(`/w/${person.slug}/settings/nowhere`);
  await expect(page).toHaveURL(`/login?next=${encodeURIComponent(`/w/${person.slug}/settings/nowhere`)}`);
});

test("links the profile, settings and shortcuts in the account menu", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  await consolePage.open(person.slug);
  await consolePage.openAccountMenu();
  await page.getByRole("menuitem", { name: "Shortcuts" }).click();
  await expect(page.getByRole("dialog")).toContainText("Show shortcuts");
  await page.keyboard.press("Escape");
  await consolePage.openAccountMenu();
  await page.getByRole("menuitem", { name: "Settings" }).click();
  await expect(page).toHaveURL(`/w/${person.slug}/settings`);
  await consolePage.openAccountMenu();
  await page.getByRole("menuitem", { name: "Profile" }).click();
  await expect(page).toHaveURL(`/w/${person.slug}/settings/profile`);
  await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible();
});

test("explains a failed provider sign-in", { tag: "@long" }, async ({ page }) => {
  const says: [string, string][] = [
    ["OAuthAccountNotLinked", "An account with this email already exists"],
    ["AccessDenied", "Sign-in was denied"],
    ["Configuration", "This sign-in method is not working."],
    ["<b>call 555</b>", "Sign-in failed."],
  ];
  for (const [error, words] of says) {
    await page.goto(`/login?error=${encodeURIComponent(error)}`);
    await expect(page.getByRole("alert").filter({ hasText: words })).toBeVisible();
    await expect(page.getByRole("main")).not.toContainText("555");
    await expectAccessible(page);
  }
  await expect(page.getByRole("button", { name: "Sign in" })).toBeEnabled();
});

test("does not ask a signed-in person to sign in", { tag: "@long" }, async ({ page, person }) => {
  await page.goto("/login");
  await expect(page).toHaveURL(new RegExp(`/w/${person.slug}(/|$)`));
});

test("keeps text typed before the page was interactive", { tag: "@long" }, async ({ page, person }) => {
  const awake = Promise.withResolvers<void>();
  await page.context().clearCookies();
  await page.route("**/_next/static/**/*.js", async (route) => {
    await awake.promise;
    await route.continue();
  });
  await page.goto("/login", { waitUntil: "commit" });
  const email = page.getByRole("textbox", { name: "Email" });
  await email.fill(person.email);
  awake.resolve();
  await page.waitForLoadState("networkidle");
  await expect(email).toHaveValue(person.email);
  await page.getByLabel("Password", { exact: true }).fill(person.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/consoles\//);
});

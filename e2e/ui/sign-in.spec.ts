import { LoginPage } from "../pages/login-page";
import { expect, expectAccessible, test } from "./fixtures";

test("signing out ends the session, and signing in comes back to the page that was asked for", async ({
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

test("a wrong password is told without saying which of the two is wrong, and the address stays", async ({
  page,
  person,
}) => {
  await page.context().clearCookies();
  const login = new LoginPage(page);
  await login.open();
  await login.signIn(person.email, "wrong-password");
  await expect(login.failure).toBeVisible();
  await expect(login.email).toHaveValue(person.email);
  await expect(login.password).toBeFocused();
});

test("a link cannot send people elsewhere after they sign in", async ({ page, person }) => {
  await page.context().clearCookies();
  const login = new LoginPage(page);
  await login.open(`?next=${encodeURIComponent("//evil.example/w")}`);
  await login.signIn(person.email, person.password);
  await expect(page).toHaveURL(new RegExp(`/w/${person.slug}(/|$)`));
});

test("an address without a workspace of mine and one that never was look the same", async ({ page, person }) => {
  await page.goto(`/w/${person.slug}-of-somebody-else`);
  await expect(page.getByRole("heading", { name: "You cannot open this" })).toBeVisible();
  await page.goto(`/w/${person.slug}/consoles/not-mine`);
  await expect(page.getByRole("heading", { name: "You cannot open this console" })).toBeVisible();
  await page.getByRole("button", { name: "Back to consoles" }).click();
  await expect(page.getByRole("textbox", { name: /^Query of / })).toBeVisible();
});

test("a way back from a provider without a session says why, in our own words", async ({ page }) => {
  const says: [string, string][] = [
    ["OAuthAccountNotLinked", "There is an account with this email already"],
    ["AccessDenied", "You were not let in"],
    ["Configuration", "does not work on this server right now"],
    ["<b>call 555</b>", "Signing in did not work"],
  ];
  for (const [error, words] of says) {
    await page.goto(`/login?error=${encodeURIComponent(error)}`);
    await expect(page.getByRole("alert").filter({ hasText: words })).toBeVisible();
    await expect(page.getByRole("main")).not.toContainText("555");
    await expectAccessible(page);
  }
  await expect(page.getByRole("button", { name: "Sign in" })).toBeEnabled();
});

test("somebody who is signed in is not asked to sign in again", async ({ page, person }) => {
  await page.goto("/login");
  await expect(page).toHaveURL(new RegExp(`/w/${person.slug}(/|$)`));
});

test("what is typed before the page is awake is kept", async ({ page, person }) => {
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

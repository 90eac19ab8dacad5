import { expect, expectAccessible, newEmail, PASSWORD, test } from "./fixtures";
import { settings, workspaceIdOf } from "./settings.fixtures";

test("shows a renamed workspace everywhere and keeps its URL", async ({ page, person }) => {
  await page.goto(settings(person, "general"));
  const name = page.getByRole("textbox", { name: "Name" });
  await expect(name).toHaveValue("Ines's workspace");
  await name.fill(" ");
  await name.blur();
  await expect(page.getByText("Enter a workspace name.")).toBeVisible();
  await name.fill("Harrow & Pine");
  await page.getByRole("button", { name: "Rename workspace" }).click();
  await expect(page.getByRole("button", { name: "Switch workspace, Harrow & Pine" })).toBeVisible();
  await page.reload();
  await expect(name).toHaveValue("Harrow & Pine");
  await expect(page).toHaveURL(new RegExp(`/w/${person.slug}/`));
});

test("deletes a workspace only after its name is typed, and creates a new one", async ({ page, person }) => {
  await page.goto(settings(person, "general"));
  await page.getByRole("button", { name: "Delete workspace" }).click();
  const dialog = page.getByRole("dialog");
  const confirm = dialog.getByRole("button", { name: "Delete workspace" });
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox").fill("something else");
  await expect(confirm).toBeDisabled();
  await dialog.getByRole("textbox").fill("Ines's workspace");
  await confirm.click();
  await expect(page).toHaveURL(/\/new-workspace$/);
  await page.getByRole("textbox", { name: "Name" }).fill("Second try");
  await page.getByRole("button", { name: "Create workspace" }).click();
  await expect(page).toHaveURL(/\/w\/second-try/);
  await expect(page.getByRole("button", { name: "Switch workspace, Second try" })).toBeVisible();
});

test("shows a new key once; it works until it is revoked", async ({ page, person, playwright, baseURL }) => {
  const wid = await workspaceIdOf(page.request);
  await page.goto(settings(person, "api-keys"));
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByText("Enter a name.")).toBeVisible();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Nightly export job");
  await page.getByRole("button", { name: "Create key" }).click();

  const banner = page.getByRole("region", { name: "The new key" });
  const key = await banner.getByRole("textbox", { name: "Key" }).inputValue();
  expect(key).toMatch(/^mr_[A-Za-z0-9_-]{43}$/);
  const program = await playwright.request.newContext({
    baseURL,
    extraHTTPHeaders: { Authorization: `Bearer ${key}` },
  });
  expect((await program.get(`/api/workspaces/${wid}`)).status()).toBe(200);

  // Leaving is held back until the key is saved.
  await page.getByRole("link", { name: "Members" }).click();
  await expect(page.getByRole("heading", { name: "Leave without copying the key?" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await banner.getByRole("button", { name: "Done", exact: true }).click();
  await expect(banner).toBeHidden();
  await page.reload();
  await expect(page.getByRole("cell", { name: "Nightly export job", exact: true })).toBeVisible();
  await expect(page.getByText(key)).toHaveCount(0);

  await page.getByRole("button", { name: "Revoke Nightly export job" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByRole("heading", { name: "No API keys yet" })).toBeVisible();
  expect((await program.get(`/api/workspaces/${wid}`)).status()).toBe(401);
  await program.dispose();
});

test("expires a key on the selected day, and rejects a past day", { tag: "@long" }, async ({ page, person }) => {
  await page.goto(settings(person, "api-keys"));
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Short job");
  await page.getByRole("combobox", { name: "Expires", exact: true }).click();
  await page.getByRole("option", { name: "Custom date" }).click();
  await page.getByLabel("Expiry date").fill("2020-01-01");
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByText("Select a date in the future.")).toBeVisible();
  await page.getByLabel("Expiry date").fill("2099-05-21");
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByRole("cell", { name: "21 May 2099" })).toBeVisible();
});

test("applies a changed name at once, and rejects an empty one", async ({ page, person }) => {
  await page.goto(`/w/${person.slug}/settings/profile`);
  const form = page.getByRole("form", { name: "Name", exact: true });
  const field = form.getByRole("textbox", { name: "Name" });
  const save = form.getByRole("button", { name: "Save name", exact: true });
  await expect(field).toHaveValue("Ines Okafor");
  await expect(page.getByRole("main").getByText(person.email)).toHaveCount(1);
  await expect(save).toBeDisabled();
  await field.fill("   ");
  await save.click();
  await expect(form).toContainText("Enter your name.");
  await field.fill(" Ines Adeyemi ");
  await field.press("Enter");
  await expect(page.getByRole("button", { name: "Account: Ines Adeyemi" })).toBeVisible();
  await expect(field).toHaveValue("Ines Adeyemi");
  await expectAccessible(page);
  await page.reload();
  await expect(field).toHaveValue("Ines Adeyemi");
  await page.goto(`/w/${person.slug}/settings/members`);
  await expect(page.getByRole("row", { name: /\(you\)/ })).toContainText("Ines Adeyemi");
});

test("requires the current password for a change, ends other sessions and signs in with the new one", async ({
  page,
  person,
  browser,
}) => {
  const elsewhere = await browser.newContext();
  await elsewhere.request.post("/api/auth/login", { data: { email: person.email, password: PASSWORD } });
  await page.goto(settings(person, "profile"));
  await expect(page.getByText(person.email).first()).toBeVisible();
  await page.getByRole("textbox", { name: "Current password", exact: true }).fill("not the password");
  await page.getByRole("textbox", { name: "New password" }).fill("nine otters on the ice");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByRole("textbox", { name: "Current password", exact: true })).toHaveAttribute(
    "aria-invalid",
    "true",
  );
  await expect(page.getByText("Password changed.")).toHaveCount(0);
  await page.getByRole("textbox", { name: "Current password", exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("Password changed. You were signed out everywhere else.")).toBeVisible();
  expect((await elsewhere.request.get("/api/auth/me")).status()).toBe(401);
  expect((await page.request.get("/api/auth/me")).status()).toBe(200);
  const login = await elsewhere.request.post("/api/auth/login", {
    data: { email: person.email, password: "nine otters on the ice" },
  });
  expect(login.status()).toBe(200);
  await elsewhere.close();
});

test("lists a session elsewhere and ends it", async ({ page, person, browser }) => {
  const phone = await browser.newContext({
    userAgent:
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
  });
  await phone.request.post("/api/auth/login", { data: { email: person.email, password: PASSWORD } });
  await page.goto(settings(person, "sessions"));
  await expect(page.getByRole("row", { name: /This device/ }).getByRole("button", { name: "Sign out" })).toBeVisible();
  await page.getByRole("button", { name: "End session on Safari on iPhone" }).click();
  await expect(page.getByText("Safari on iPhone")).toHaveCount(0);
  expect((await phone.request.get("/api/auth/me")).status()).toBe(401);
  expect((await page.request.get("/api/auth/me")).status()).toBe(200);
  await phone.close();
});

test("ends all other sessions together and keeps this one", { tag: "@long" }, async ({
  page,
  person,
  playwright,
  baseURL,
}) => {
  const others = await Promise.all([1, 2].map(() => playwright.request.newContext({ baseURL })));
  for (const other of others)
    await other.post("/api/auth/login", { data: { email: person.email, password: PASSWORD } });
  await page.goto(settings(person, "sessions"));
  await page.getByRole("button", { name: "End other sessions" }).click();
  // One request, so that a session that was opened after the list was loaded ends too.
  const ended = page.waitForRequest(
    (request) => request.method() === "DELETE" && request.url().endsWith("/api/auth/sessions"),
  );
  await page.getByRole("button", { name: "End sessions" }).click();
  await ended;
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "End other sessions" })).toHaveCount(0);
  for (const other of others) {
    expect((await other.get("/api/auth/me")).status()).toBe(401);
    await other.dispose();
  }
  await expect(page.getByText("This device")).toBeVisible();
});

test("applies theme and density at once, and in another browser", async ({ page, person, browser }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(settings(person, "appearance"));
  const saved = page.waitForResponse(
    (answer) => answer.url().endsWith("/api/me/preferences") && answer.request().method() === "PUT",
  );
  await page.getByRole("radio", { name: "Dark" }).check();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await saved;
  const savedAgain = page.waitForResponse((answer) => answer.request().method() === "PUT" && answer.ok());
  await page.getByRole("radio", { name: "Comfortable" }).check();
  await expect(page.locator("html")).toHaveAttribute("data-density", "roomy");
  await savedAgain;
  await page.reload();
  await expect(page.getByRole("radio", { name: "Comfortable" })).toBeChecked();

  const elsewhere = await browser.newContext({ colorScheme: "light" });
  await elsewhere.request.post("/api/auth/login", { data: { email: person.email, password: PASSWORD } });
  const other = await elsewhere.newPage();
  await other.goto(settings(person, "appearance"));
  await expect(other.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(other.locator("html")).toHaveAttribute("data-density", "roomy");
  await elsewhere.close();
});

test("keeps a choice that was made as soon as the page reacted", { tag: "@long" }, async ({ page, person }) => {
  // Clicks until the page reacts: before its effects run, and before the preferences of the account are loaded.
  await page.addInitScript(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      const radios = [...document.querySelectorAll<HTMLElement>('[role="radio"]')];
      const radio = radios.find((each) => each.textContent === "As stored");
      if (radio?.getAttribute("aria-checked") === "true") return;
      radio?.click();
      channel.port2.postMessage(null);
    };
    channel.port2.postMessage(null);
  });
  await page.goto(settings(person, "appearance"));
  const kept = async () => (await (await page.request.get("/api/me/preferences")).json()).data.times;
  await expect.poll(kept).toBe("raw");
  await expect(page.getByRole("radio", { name: "As stored" })).toBeChecked();
});

test("shows times in a searched time zone and numbers as selected, and copies exact values", {
  tag: "@long",
}, async ({ page, context, person, consolePage }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(settings(person, "appearance"));
  const times = page.getByRole("radiogroup", { name: "Time zone", exact: true });
  await times.getByRole("radio", { name: "Other", exact: true }).click();
  const zone = page.getByRole("combobox", { name: "Time zone", exact: true });
  await zone.fill("nowhere");
  await zone.blur();
  await expect(page.getByText("Unknown time zone. Select one from the list.")).toBeVisible();
  await zone.fill("chatham");
  await page.getByRole("option", { name: "Pacific/Chatham" }).click();
  await expect(zone).toHaveValue("Pacific/Chatham");
  await expect(page.getByRole("contentinfo")).toContainText("Pacific/Chatham");
  // The previous zone may still be on its way to the server.
  const kept = async () => (await (await page.request.get("/api/me/preferences")).json()).data.times;
  await expect.poll(kept).toBe("Pacific/Chatham");

  await consolePage.open(person.slug);
  await consolePage.write(
    "select 1234567.5::decimal(12,2) as amount, timestamptz '2026-07-14 23:22:41+00' as placed_at",
  );
  await consolePage.run.click();
  const [amount, placed] = [consolePage.cell(1, 1), consolePage.cell(1, 2)];
  // Chatham is 12 hours and 45 minutes ahead of UTC in its winter.
  await expect(placed).toHaveText("2026-07-15 12:07:41");
  await expect(placed).toHaveAttribute("title", "2026-07-14T23:22:41Z");
  await expect(amount).toHaveText("1,234,567.50");
  await placed.click();
  await page.keyboard.press("ControlOrMeta+c");
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("2026-07-14T23:22:41Z");

  await page.goto(settings(person, "appearance"));
  await expect(zone).toHaveValue("Pacific/Chatham");
  await times.getByRole("radio", { name: "As stored" }).click();
  await expect(zone).toHaveCount(0);
  await page.getByRole("radio", { name: "1284.50" }).click();
  await consolePage.open(person.slug);
  await consolePage.run.click();
  await expect(placed).toHaveText("2026-07-14T23:22:41Z");
  await expect(amount).toHaveText("1234567.50");
});

test("sends a failed preference from the next page, and does not undo it meanwhile", { tag: "@long" }, async ({
  page,
  person,
}) => {
  await page.goto(settings(person, "appearance"));
  await expect(page.getByRole("radio", { name: "System" })).toBeChecked();
  await page.route("**/api/me/preferences", (route) =>
    route.request().method() === "PUT" ? route.abort() : route.continue(),
  );
  await page.getByRole("radio", { name: "Dark" }).check();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.unroute("**/api/me/preferences");
  const saved = page.waitForResponse((answer) => answer.request().method() === "PUT" && answer.ok());
  await page.reload();
  await saved;
  await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked();
  expect((await (await page.request.get("/api/me/preferences")).json()).data.theme).toBe("dark");
});

test("keeps a preference over a late response to an earlier request", { tag: "@long" }, async ({ page, person }) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/me/preferences", async (route) => {
    if (route.request().method() !== "GET") return route.continue();
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  await page.goto(settings(person, "appearance"));
  const answered = page.waitForResponse(
    (each) => each.url().endsWith("/preferences") && each.request().method() === "GET",
  );
  const saved = page.waitForResponse((answer) => answer.request().method() === "PUT" && answer.ok());
  await page.getByRole("radio", { name: "Dark" }).check();
  await saved;
  const mark = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("unsent")));
  await expect.poll(mark).toEqual([]);
  release();
  await (await answered).finished();
  // The response is processed once two frames are drawn.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("navigates by single-letter shortcuts, unless they are off", { tag: "@long" }, async ({ page, person }) => {
  await page.goto(settings(person, "keyboard"));
  const letters = page.getByRole("switch", { name: "Single-key shortcuts" });
  await expect(letters).toBeChecked();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Shortcuts" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await letters.click();
  await letters.blur();
  await page.keyboard.press("?");
  await page.keyboard.press("g");
  await page.keyboard.press("n");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).toHaveURL(settings(person, "keyboard"));
  await letters.click();
  await letters.blur();
  await page.keyboard.press("g");
  await page.keyboard.press("n");
  await expect(page.getByRole("heading", { name: "Connections", level: 1 })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await expect(page.getByRole("heading", { name: "General", level: 1 })).toBeVisible();
});

test("searches shortcuts by action", { tag: "@long" }, async ({ page, person }) => {
  await page.goto(settings(person, "keyboard"));
  await page.getByRole("textbox", { name: "Search shortcuts" }).fill("explorer");
  await expect(page.getByText("Toggle explorer")).toBeVisible();
  await expect(page.getByText("Find and replace")).toHaveCount(0);
  await page.getByRole("textbox", { name: "Search shortcuts" }).fill("brew coffee");
  await expect(page.getByText("No matching shortcuts.")).toBeVisible();
});

test("explains a failed list and reloads it on request", { tag: "@long" }, async ({ page, person }) => {
  await page.route("**/api/workspaces/*/api-keys*", (route) =>
    route.fulfill({ status: 500, json: { success: false, error: "Something broke on our side.", code: "internal" } }),
  );
  await page.goto(settings(person, "api-keys"));
  await expect(page.getByText("Something broke on our side.")).toBeVisible();
  await page.unroute("**/api/workspaces/*/api-keys*");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByRole("heading", { name: "No API keys yet" })).toBeVisible();
});

test("creates a console from the settings", { tag: "@long" }, async ({ page, person, consolePage }) => {
  await page.goto(settings(person, "general"));
  await expect(page.getByRole("heading", { name: "General", level: 1 })).toBeVisible();
  await page.keyboard.press("c");
  await expect(page).toHaveURL(/\/consoles\//);
  await expect(consolePage.editor).toBeVisible();
});

test("answers a password reset alike for every address", { tag: "@long" }, async ({ page, person }) => {
  for (const email of [person.email, newEmail()]) {
    await page.goto("/forgot");
    await page.getByRole("textbox", { name: "Email" }).fill(email);
    await page.getByRole("button", { name: "Send reset link" }).click();
    await expect(page.getByText(`If ${email} has an account, we've sent it a reset link.`)).toBeVisible();
  }
});

test("reports an expired reset link, with a link to a new one", { tag: "@long" }, async ({ page }) => {
  await page.goto("/reset/not-a-link");
  await expect(page.getByRole("heading", { name: "Link expired" })).toBeVisible();
  await expect(page.getByRole("textbox")).toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole("link", { name: "Request new link" }).click();
  await expect(page).toHaveURL(/\/forgot$/);
});

test("links from sign-in to the password reset", { tag: "@long" }, async ({ page }) => {
  await page.goto("/login");
  await page.getByRole("link", { name: "Forgot password?" }).click();
  await expect(page.getByRole("heading", { name: "Reset your password" })).toBeVisible();
});

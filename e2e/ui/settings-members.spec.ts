import type { Locator } from "@playwright/test";
import { ConsolePage } from "../pages/console-page";
import { addConsole, saveOver } from "./consoles.fixtures";
import { expect, expectAccessible, newEmail, PASSWORD, test } from "./fixtures";
import { invite, join, settings, workspaceIdOf } from "./settings.fixtures";

test("invites several people at once, and admits a newcomer by the link", async ({ page, person, browser }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const [first, second] = [newEmail(), newEmail()];
  await page.goto(settings(person, "members"));
  const field = page.getByRole("textbox", { name: "Invite by email" });
  await field.fill("not an address");
  await page.getByRole("button", { name: "Send invite" }).click();
  await expect(page.getByRole("form", { name: "Invite members" })).toContainText("Add an @");
  await field.fill(first);
  await field.press("Enter");
  await field.fill(`${second},`);
  await expect(page.getByRole("button", { name: `Remove ${second}` })).toBeVisible();
  await page.getByRole("button", { name: "Send 2 invites" }).click();
  await expect(
    page.getByRole("form", { name: "Invite members" }).getByText("Invited 2 people. Email is not configured."),
  ).toBeVisible();

  await page.getByRole("button", { name: `Copy link for ${first}` }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(new URL(link).pathname);
  await expect(stranger.getByRole("heading", { name: "Join Ines's workspace" })).toBeVisible();
  await expect(stranger.getByText(first)).toBeVisible();
  await stranger.getByRole("link", { name: "Create account" }).click();
  await expect(stranger).toHaveURL(/\/register\?/);
  await expect(stranger.getByRole("heading", { name: "Join Ines's workspace" })).toBeVisible();
  await expect(stranger.getByText("Ines Okafor invited you as a member.")).toBeVisible();
  await expect(stranger.getByLabel("Email")).toHaveValue(first);
  await expect(stranger.getByLabel("Email")).not.toBeEditable();
  await expectAccessible(stranger);
  await stranger.getByLabel("Name").fill("Jun Abe");
  await stranger.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await stranger.getByRole("button", { name: "Create account and join" }).click();
  await expect(stranger).toHaveURL(new RegExp(`/w/${person.slug}`));

  await page.reload();
  await expect(page.getByRole("row", { name: /Jun Abe/ })).toBeVisible();
  await expect(page.getByRole("table", { name: "Pending invitations" })).not.toContainText(first);
  await context.close();
});

test("restricts an invitation to its address, and revokes it", { tag: "@long" }, async ({ page, person, browser }) => {
  const token = await invite(page.request, "mateo@example.com", "admin");
  await page.goto(`/invites/${token}`);
  await expect(page.getByText(`You're signed in as ${person.email}`)).toBeVisible();
  await expect(page.getByRole("button", { name: /^Join/ })).toHaveCount(0);

  await page.goto(settings(person, "members"));
  await page.getByRole("button", { name: "Revoke the invitation for mateo@example.com" }).click();
  await page.getByRole("button", { name: "Revoke invitation" }).click();
  await expect(page.getByText("No pending invitations.")).toBeVisible();
  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(`/invites/${token}`);
  await expect(stranger.getByRole("heading", { name: "Invitation no longer valid" })).toBeVisible();
  for (const path of ["/invites/nothing", `/register?next=/invites/${token}`, `/login?next=/invites/${token}`]) {
    await stranger.goto(path);
    await expect(stranger.getByRole("heading", { name: "Invitation no longer valid" })).toBeVisible();
    await expect(stranger.getByRole("textbox")).toHaveCount(0);
  }
  await context.close();
});

test("switches the account for an invitation and returns to it", { tag: "@long" }, async ({ page, person }) => {
  const invited = newEmail();
  const token = await invite(page.request, invited, "member");
  await page.goto(`/invites/${token}`);
  await page.getByRole("button", { name: "Switch account" }).click();
  await expect(page).toHaveURL(`/login?next=${encodeURIComponent(`/invites/${token}`)}`);
  expect(invited).not.toBe(person.email);
  await expect(page.getByRole("textbox", { name: "Email" })).toHaveValue(invited);
  await expect(page.getByRole("textbox", { name: "Password" })).toBeFocused();
  await expectAccessible(page);
});

for (const width of [1440, 390]) {
  test(`keeps long names and addresses within the page at ${width} px`, async ({ page, person, browser }) => {
    await page.setViewportSize({ width, height: 900 });
    await join(browser, page, "member", "Maximiliana".repeat(7));
    await invite(page.request, `${"a.very.long.address".repeat(3)}@subsidiary.harrow-and-pine.example`, "admin");
    await page.goto(settings(person, "members"));
    await expect(page.getByRole("table", { name: "Pending invitations" })).toBeVisible();
    const edgeOf = async (locator: Locator) => {
      const box = await locator.boundingBox();
      return (box?.x ?? Number.NaN) + (box?.width ?? 0);
    };
    const form = await edgeOf(page.getByRole("form", { name: "Invite members" }));
    for (const name of ["Members", "Pending invitations"]) {
      expect(await edgeOf(page.getByRole("table", { name, exact: true }))).toBeLessThanOrEqual(form);
    }
    for (const button of await page.getByRole("button", { name: /^(Remove|Revoke) / }).all()) {
      expect(await edgeOf(button)).toBeLessThanOrEqual(form);
    }
  });
}

test("loads a long list of invitations to its end", { tag: "@long" }, async ({ page, person }) => {
  const wid = await workspaceIdOf(page.request);
  const addresses = Array.from({ length: 103 }, (_, i) => `guest-${i}@example.com`);
  for (const email of addresses) {
    const answer = await page.request.post(`/api/workspaces/${wid}/invites`, { data: { email, role: "member" } });
    expect(answer.status()).toBe(201);
  }
  await page.goto(settings(person, "members"));
  const rows = page.getByRole("table", { name: "Pending invitations" }).getByRole("row");
  const links = rows.filter({ hasText: /guest-\d+@/ });
  await expect(links).toHaveCount(100);
  await page.getByRole("button", { name: "Show more" }).click();
  await expect(links).toHaveCount(103);
  await expect(page.getByRole("button", { name: "Show more" })).toHaveCount(0);
});

test("creates the account and reports an invitation that expired while its form was open", { tag: "@long" }, async ({
  page,
  person,
  browser,
}) => {
  const email = newEmail();
  const token = await invite(page.request, email, "member");
  const context = await browser.newContext();
  const stranger = await context.newPage();
  await stranger.goto(`/register?next=${encodeURIComponent(`/invites/${token}`)}`);
  await stranger.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await invite(page.request, email, "member");
  await stranger.getByRole("button", { name: "Create account and join" }).click();
  await expect(stranger).toHaveURL(`/invites/${token}`);
  await expect(stranger.getByRole("heading", { name: "Invitation no longer valid" })).toBeVisible();
  const me = await (await context.request.get("/api/auth/me")).json();
  expect(me.data.user.email).toBe(email);
  expect(me.data.workspaces.map(({ slug }: { slug: string }) => slug)).not.toContain(person.slug);
  await context.close();
});

test("shows whether a member is online, was seen, or has never signed in", { tag: "@long" }, async ({
  page,
  person,
  browser,
}) => {
  const mate = await join(browser, page, "member");
  await page.goto(settings(person, "members"));
  const seen = (name: string | RegExp) => page.getByRole("row", { name }).locator('[data-label="Last seen"]');
  await expect(page.getByRole("columnheader", { name: "Last seen" })).toBeVisible();
  await expect(seen(/\(you\)/)).toHaveText("now");
  await expect(seen(mate.name)).toHaveText("Never");
  await mate.page.goto(`/w/${person.slug}`);
  await expect(mate.page.getByRole("navigation", { name: "Workspace" })).toBeVisible();
  await expect(async () => {
    await page.reload();
    await expect(seen(mate.name)).toHaveText("now");
  }).toPass();
  await expect(seen(mate.name)).toHaveAttribute("title", new RegExp(`${new Date().getFullYear()}.*\\d:\\d\\d`));
  await mate.page.context().close();
  await page.clock.setFixedTime(Date.now() + 2.5 * 3_600_000);
  await page.reload();
  await expect(seen(mate.name)).toHaveText("2 h ago");
  await expect(seen(/\(you\)/)).toHaveText("now");
});

test("gives a person one colour everywhere", { tag: "@long" }, async ({ page, person, browser }) => {
  const colourOf = (place: Locator) => place.locator(".ava").evaluate((mark) => getComputedStyle(mark).backgroundColor);
  const mate = await join(browser, page, "admin");
  const key = { name: "Nightly load" };
  const made = await mate.request.post(`/api/workspaces/${await workspaceIdOf(page.request)}/api-keys`, { data: key });
  expect(made.status()).toBe(201);
  const saved = await addConsole(page.request, { name: "stock.sql", content: "select 1", access: "workspace" });
  await saveOver(page.request, saved.id, "select 2", mate.request);
  const address = `/w/${person.slug}/consoles/${saved.id}`;

  await mate.page.goto(address);
  const theirs = await colourOf(mate.page.getByRole("button", { name: `Account: ${mate.name}` }));
  await page.goto(address);
  await expect(page.getByRole("textbox", { name: / query$/ })).toBeVisible();
  const editing = page.getByRole("status").filter({ hasText: `${mate.name} is editing` });
  await expect(async () => {
    await new ConsolePage(mate.page).write(`select ${Date.now()}`);
    await expect(editing).toBeVisible({ timeout: 6000 });
  }).toPass();
  expect(await colourOf(editing)).toBe(theirs);

  await page.goto(`${address}/history`);
  const save = page
    .getByRole("list", { name: "Versions", exact: true })
    .getByRole("listitem")
    .filter({ hasText: "Jun, " });
  await expect.poll(() => colourOf(save)).toBe(theirs);
  await page.goto(settings(person, "api-keys"));
  await expect.poll(() => colourOf(page.getByRole("row", { name: key.name }))).toBe(theirs);
  await page.goto(settings(person, "members"));
  await expect.poll(() => colourOf(page.getByRole("row", { name: mate.name }))).toBe(theirs);
  await mate.page.goto(settings(person, "profile"));
  await expect.poll(() => colourOf(mate.page.locator(".profile-who"))).toBe(theirs);
  await mate.page.context().close();
});

test("revokes the old link with a new one", { tag: "@long" }, async ({ page, person }) => {
  const old = await invite(page.request, "mateo@example.com", "member");
  await page.goto(settings(person, "members"));
  await page.getByRole("button", { name: "Resend the invitation to mateo@example.com" }).click();
  await expect(page.getByRole("button", { name: "Copy link for mateo@example.com" })).toBeVisible();
  expect((await page.request.get(`/api/invites/${old}`)).status()).toBe(404);
});

test("applies a changed role, and keeps the last owner", async ({ page, person, browser }) => {
  const jun = await join(browser, page, "member");
  await page.goto(settings(person, "members"));
  await expect(page.getByRole("row", { name: /\(you\)/ })).toContainText("A workspace needs an owner");
  await expect(page.getByRole("combobox", { name: "Role of Ines Okafor" })).toBeDisabled();
  await page.getByRole("combobox", { name: "Role of Jun Abe" }).click();
  await page.getByRole("option", { name: "Admin" }).click();
  await expect(page.getByRole("combobox", { name: "Role of Jun Abe" })).toHaveText("Admin");
  await page.reload();
  await expect(page.getByRole("combobox", { name: "Role of Jun Abe" })).toHaveText("Admin");

  await jun.page.goto(settings(person, "members"));
  await expect(jun.page.getByRole("row", { name: /Ines Okafor/ })).toContainText("Only owners can change owners");
  await jun.page.getByRole("combobox", { name: "Role", exact: true }).click();
  await expect(jun.page.getByRole("option", { name: "Owner" })).toHaveCount(0);
});

test("asks before giving up one's own role, and applies it at once", { tag: "@long" }, async ({
  page,
  person,
  browser,
}) => {
  const jun = await join(browser, page, "owner");
  await jun.page.goto(settings(person, "members"));
  await jun.page.getByRole("combobox", { name: "Role of Jun Abe" }).click();
  await jun.page.getByRole("option", { name: "Member" }).click();
  await jun.page.getByRole("button", { name: "Become member" }).click();
  await expect(jun.page.getByText("Only owners and admins can invite members")).toBeVisible();
  await expect(jun.page.getByRole("form", { name: "Invite members" })).toHaveCount(0);
});

test("revokes a removed member's access at once", async ({ page, person, browser }) => {
  const jun = await join(browser, page, "member");
  const wid = await workspaceIdOf(page.request);
  await page.goto(settings(person, "members"));
  await page.getByRole("button", { name: "Remove Jun Abe" }).click();
  await expect(page.getByRole("dialog")).toContainText("They lose access now");
  await page.getByRole("button", { name: "Remove member" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("row", { name: /Jun Abe/ })).toHaveCount(0);
  expect((await jun.request.get(`/api/workspaces/${wid}`)).status()).toBe(403);
  await jun.page.goto(settings(person, "members"));
  await expect(jun.page.getByRole("heading", { name: "Page not found" })).toBeVisible();
});

test("explains a rejected change and keeps the role", { tag: "@long" }, async ({ page, person, browser }) => {
  await join(browser, page, "member");
  await page.goto(settings(person, "members"));
  await page.route("**/members/*", (route) =>
    route.fulfill({ status: 409, json: { success: false, error: "Somebody changed it just now.", code: "conflict" } }),
  );
  await page.getByRole("combobox", { name: "Role of Jun Abe" }).click();
  await page.getByRole("option", { name: "Admin" }).click();
  await expect(page.getByText("Somebody changed it just now.")).toBeVisible();
  await expect(page.getByRole("combobox", { name: "Role of Jun Abe" })).toHaveText("Member");
});

test("shows a member read-only settings, who can change them, and how to leave", { tag: "@long" }, async ({
  page,
  person,
  browser,
}) => {
  const jun = await join(browser, page, "member");
  const mine = jun.page;
  await mine.goto(settings(person, "general"));
  await expect(mine.getByText("Only owners and admins can rename the workspace.")).toBeVisible();
  await expect(mine.getByRole("button", { name: "Rename workspace" })).toHaveCount(0);
  await expect(mine.getByRole("button", { name: "Delete workspace" })).toHaveCount(0);
  await mine.goto(settings(person, "api-keys"));
  await expect(mine.getByText("Only owners and admins can view and create API keys.")).toBeVisible();
  await expect(mine.getByRole("button", { name: "New key" })).toHaveCount(0);
  await mine.goto(settings(person, "outbox"));
  await expect(mine.getByText("Only owners and admins can read the outbox.")).toBeVisible();
  await mine.goto(settings(person, "members"));
  await expect(mine.getByRole("row", { name: /Ines Okafor/ })).toContainText("Owner");
  await expect(mine.getByRole("combobox")).toHaveCount(0);
  await expect(mine.getByRole("button", { name: /^Remove/ })).toHaveCount(0);
  await mine.getByRole("button", { name: "Leave workspace" }).click();
  await mine.getByRole("button", { name: "Leave workspace" }).click();
  await expect(mine).not.toHaveURL(new RegExp(`/w/${person.slug}`));
  await page.goto(settings(person, "members"));
  await expect(page.getByRole("row", { name: /Jun Abe/ })).toHaveCount(0);
});

import { appBench } from "./apps.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

test("finds apps by shelf, by search and by favourites", async ({ page, person }) => {
  const { make, write, commit, root } = await appBench(page.request);
  for (const title of ["Delivery promise", "Margin explorer"]) {
    const app = await make(title, { access: "workspace", description: `${title}, week by week` });
    await write(app, "index.html", `<h1>${title}</h1>`);
    await commit(app, "Begin");
    expect((await page.request.post(`${root}/${app.id}/publish`)).status()).toBe(200);
  }
  await make("Gift finder");
  await page.goto(`/w/${person.slug}/apps`);
  const card = (title: string) => page.getByRole("listitem").filter({ has: page.getByRole("link", { name: title }) });
  const star = (title: string) => page.getByRole("button", { name: `Favourite ${title}` });
  await expect(page.getByRole("main").getByRole("link", { name: /Delivery promise/ })).toBeVisible();
  await expectAccessible(page);

  await star("Margin explorer").click();
  await expect(star("Margin explorer")).toHaveAttribute("aria-pressed", "true");
  await star("Gift finder").focus();
  await page.keyboard.press("Enter");
  await expect(star("Gift finder")).toHaveAttribute("aria-pressed", "true");
  await page
    .getByRole("complementary", { name: "Explorer" })
    .getByRole("link", { name: /Favourites/ })
    .click();
  await expect(page.getByRole("heading", { name: "Favourites" })).toBeVisible();
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(2);
  await page.reload();
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(2);
  await star("Gift finder").click();
  await expect(card("Gift finder")).toHaveCount(0);

  // A rejected change is rolled back and reported.
  await page.route("**/favorite", (route) =>
    route.fulfill({ status: 503, json: { success: false, code: "unavailable", error: "Try again in a moment." } }),
  );
  await star("Margin explorer").click();
  await expect(page.getByText("Try again in a moment.")).toBeVisible();
  await expect(star("Margin explorer")).toHaveAttribute("aria-pressed", "true");
  await page.unroute("**/favorite");

  // Typed before the clicked section is rendered: the search runs in that section.
  const explorer = page.getByRole("complementary", { name: "Explorer" });
  const home = await explorer.getByRole("link", { name: "Home", exact: true }).elementHandle();
  await explorer.getByRole("searchbox", { name: "Search apps" }).evaluate((field: HTMLInputElement, link) => {
    (link as HTMLAnchorElement).click();
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, "delivery");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }, home);
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(1);
  await expect(page.getByRole("main").getByRole("link", { name: /Delivery promise/ })).toBeVisible();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/w/${person.slug}/apps`);
  await page.getByRole("radiogroup", { name: "App filter" }).getByRole("radio", { name: "Favourites" }).click();
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(1);
  const box = await star("Margin explorer").boundingBox();
  expect(box?.height).toBeGreaterThanOrEqual(44);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  await expectAccessible(page);
});

test("shows feed sections, recent work and the linked repository beside the feed", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const { make, write, root } = await appBench(page.request);
  const gift = await make("Gift finder");
  await make("Price watch", { access: "workspace" });
  await write(gift, "a.md", "a");
  await write(gift, "b.md", "b");
  expect((await page.request.put(`${root}/${gift.id}/share`, { data: { enabled: true } })).status()).toBe(200);
  await page.goto(`/w/${person.slug}/apps`);
  const explorer = page.getByRole("complementary", { name: "Explorer" });
  await expect(explorer.getByRole("link", { name: "My apps 2" })).toBeVisible();
  await expect(explorer.getByRole("link", { name: "Favourites 0" })).toBeVisible();
  await expect(explorer.getByRole("link", { name: "Gift finder 2 changes" })).toHaveAttribute(
    "href",
    /gift-finder\/edit$/,
  );
  await page.getByRole("button", { name: "Favourite Price watch" }).press("Enter");
  await expect(explorer.getByRole("link", { name: "Favourites 1" })).toBeVisible();
  await explorer.getByRole("link", { name: "Shared by link 1" }).click();
  await expect(page.getByRole("heading", { name: "Shared by link" })).toBeVisible();
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(1);
  await expect(explorer.getByRole("link", { name: /Link repository/ })).toBeVisible();
  await expectAccessible(page);

  // No host is set up here: the server's answers about a link are stubbed.
  const repo = {
    ...{
      owner: "harrow-pine",
      repo: "apps",
      defaultBranch: "main",
      subdirectory: "",
      installationId: 1,
      scope: "all",
      pullsProblem: null,
    },
    ...{ url: "https://host.example/harrow-pine/apps", adoption: "seeded", state: "conflict", problem: null },
    ...{
      conflicts: ["apps/gift-finder/a.md"],
      removed: [],
      skipped: [{ path: "apps/odd", why: "It is a link." }],
      remoteSha: null,
    },
    ...{ syncedAt: new Date(Date.now() - 3 * 60_000).toISOString(), createdAt: new Date().toISOString() },
  };
  const asked: unknown[] = [];
  await page.route("**/apps-v2/link", (route) =>
    route.fulfill({ json: { success: true, data: { configured: true, repo, installations: [] } } }),
  );
  await page.route("**/apps-v2/link/sync", (route) => {
    asked.push(route.request().postDataJSON());
    Object.assign(repo, { state: "synced", conflicts: [] });
    return route.fulfill({ status: 202, json: { success: true, data: { configured: true, repo, installations: [] } } });
  });
  await page.reload();
  await explorer.getByRole("link", { name: "harrow-pine/apps Conflicts in 1 file, last synced 3 min ago" }).click();
  await expect(page.getByRole("heading", { name: "harrow-pine/apps" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Keep workspace version" }).click();
  await expect(explorer.getByText("Linked to main, last synced 3 min ago")).toBeVisible();
  expect(asked).toEqual([{ prefer: "workspace" }]);
  await expect(page.getByRole("heading", { name: "Conflicts", exact: true })).toBeHidden();
});

test("shows why a linked repository is not synced, at every width", { tag: "@long" }, async ({ page, person }) => {
  // The host's answers are stubbed: none is set up here.
  const repo = {
    ...{ owner: "harrow-pine", repo: "data", defaultBranch: "main", subdirectory: "", installationId: 1, scope: "all" },
    ...{ url: "https://host.example/harrow-pine/data", adoption: "imported", state: "rejected" },
    problem: "consoles/sales/revenue.sql is not a valid console (line 3): Unknown key “colour”.",
    pullsProblem: "To check pull requests, allow the GitHub App to write pull requests and commit statuses.",
    ...{ conflicts: [], removed: [] as object[], skipped: [], remoteSha: null, syncedAt: new Date().toISOString() },
    createdAt: new Date().toISOString(),
  };
  const asked: unknown[] = [];
  const answer = () => ({ success: true, data: { configured: true, repo, installations: [] } });
  await page.route("**/apps-v2/link", (route) => route.fulfill({ json: answer() }));
  await page.route("**/apps-v2/link/sync", (route) => {
    asked.push(route.request().postDataJSON());
    return route.fulfill({ status: 202, json: answer() });
  });
  await page.goto(`/w/${person.slug}/apps/link`);
  await expect(page.getByText("is not a valid console (line 3)")).toBeVisible();
  await expect(page.getByText("Pull requests are not checked.")).toBeVisible();
  await expectAccessible(page);
  Object.assign(repo, { state: "rewritten", problem: "The branch was rewritten on the host.", pullsProblem: null });
  Object.assign(repo, { scope: "apps" });
  await page.reload();
  await page.getByRole("button", { name: "Keep repository version" }).click();
  await page.getByRole("button", { name: "Sync all files" }).click();
  await expect.poll(() => asked.splice(0)).toEqual([{ prefer: "host" }, { scope: "all" }]);
  await expect(page.getByText("Sync queued")).toBeVisible();
  await expectAccessible(page);

  // The host has lost all consoles: they are deleted here only after the admin has seen which.
  const paths = ["consoles/sales/revenue.sql", "consoles/sales/totals of the last quarter by country.sql"];
  const removed = [{ folder: "consoles", count: 61, paths }];
  const problem = "All consoles were removed on the host. Nothing was deleted here.";
  Object.assign(repo, { state: "removed", scope: "all", problem, removed });
  await page.reload();
  await expect(page.getByText("And 59 more files.")).toBeVisible();
  await page.getByRole("button", { name: "Keep repository version" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 61 consoles?" });
  for (const path of paths) await expect(dialog.getByText(path)).toBeVisible();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(asked).toEqual([]);
  await page.getByRole("button", { name: "Keep workspace version" }).click();
  await expect.poll(() => asked.splice(0)).toEqual([{ prefer: "workspace" }]);
  await page.getByRole("button", { name: "Keep repository version" }).click();
  await dialog.getByRole("button", { name: "Delete from workspace" }).dblclick();
  await expect(dialog).toBeHidden();
  expect(asked).toEqual([{ prefer: "host" }]);
  await page.getByRole("button", { name: "Keep repository version" }).click();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([width, wide]).toEqual([width, 0]);
      const shots = process.env.REVIEW_SHOTS;
      if (!shots) continue;
      await page.screenshot({ path: `${shots}/link-delete-${width}-${colorScheme}.png` });
      await page.keyboard.press("Escape");
      await expect(dialog).toBeHidden();
      await page.screenshot({ path: `${shots}/link-${width}-${colorScheme}.png` });
      await page.getByRole("button", { name: "Keep repository version" }).click();
    }
  }
});

test("links a repository after the host grants access, and unlinks it", { tag: "@long" }, async ({ page, person }) => {
  // The host's answers are stubbed: none is set up here.
  const repo = {
    ...{
      owner: "harrow-pine",
      repo: "apps",
      defaultBranch: "main",
      subdirectory: "",
      installationId: 1,
      scope: "all",
      pullsProblem: null,
    },
    ...{ url: "https://host.example/harrow-pine/apps", adoption: "seeded", state: "synced", problem: null },
    ...{ conflicts: [], skipped: [], remoteSha: null, syncedAt: new Date().toISOString() },
    createdAt: new Date().toISOString(),
  };
  const data = { configured: true, repo: null as typeof repo | null, installations: [] as object[] };
  const asked: unknown[] = [];
  await page.route("**/apps-v2/link", (route) => {
    const method = route.request().method();
    if (method === "POST") {
      asked.push(route.request().postDataJSON());
      data.repo = repo;
      return route.fulfill({ json: { success: true, data: { repo, adoption: "seeded" } } });
    }
    if (method === "DELETE") data.repo = null;
    return route.fulfill({ json: { success: true, data: method === "DELETE" ? null : data } });
  });
  const address = `/w/${person.slug}/apps/link`;
  await page.route("**/apps-v2/repohost-sync-url", (route) => {
    data.installations = [{ installationId: 1, account: "harrow-pine" }];
    return route.fulfill({ json: { success: true, data: { url: `${address}?authorization=done` } } });
  });
  await page.goto(`${address}?authorization=refused`);
  await expect(page.getByText("Authorise access to link a repository.")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Authorise access" }).click();
  await expect(page.getByText("Access to repositories of harrow-pine.")).toBeVisible();
  await expect(page.getByLabel("Owner")).toHaveValue("harrow-pine");
  await page.getByRole("button", { name: "Link repository" }).click();
  await expect(page.getByText("Enter a repository name.")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("textbox", { name: "Repository" }).fill("apps");
  await page.getByRole("button", { name: "Link repository" }).click();
  await expect(page.getByRole("heading", { name: "harrow-pine/apps" })).toBeVisible();
  expect(asked).toEqual([{ owner: "harrow-pine", repo: "apps", defaultBranch: "main" }]);
  await page.getByRole("button", { name: "Unlink repository" }).click();
  const dialog = page.getByRole("dialog", { name: "Unlink harrow-pine/apps?" });
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Unlink repository" }).click();
  await expect(page.getByRole("heading", { name: "Link repository" })).toBeVisible();
});

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { APIRequestContext } from "@playwright/test";
import { dashboardBench } from "./dashboards.fixtures";
import { expect, expectAccessible, type Person, test } from "./fixtures";
import { pushFiles } from "./git.fixtures";

const run = promisify(execFile);
const ENV = {
  ...process.env,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  HOME: tmpdir(),
};
const ME = ["-c", "user.name=Bo", "-c", "user.email=bo@example.com"];

const dirs: string[] = [];
test.afterEach(async () => {
  for (const dir of dirs.splice(0)) await rm(dir, { recursive: true, force: true });
});

async function git(dir: string, ...args: string[]): Promise<void> {
  await run("git", ["-C", dir, ...args], { env: ENV });
}

const post = async (request: APIRequestContext, path: string, data: object) => {
  const answer = await request.post(path, { data });
  expect(answer.ok(), await answer.text()).toBe(true);
  return (await answer.json()).data;
};

/** Pushes a change to a console, a dashboard and a document for review, by stock git, and returns the console's id. */
async function pushReview(request: APIRequestContext, person: Person): Promise<{ root: string; consoleId: string }> {
  const { wid, sample, make } = await dashboardBench(request);
  const root = `/api/workspaces/${wid}`;
  const values = (rows: string) => `select * from (values ${rows}) as t(id, total)\n`;
  const content = values("(1, 10), (2, 20), (3, 30)");
  const made = await post(request, `${root}/consoles`, {
    name: "Totals",
    content,
    connectionId: sample,
    access: "workspace",
  });
  const source = { connectionId: sample, query: "select 5 as amount" };
  const spec = { measures: [{ field: "amount", op: "sum", as: "revenue" }] };
  await make({
    title: "Board",
    access: "workspace",
    widgets: [{ id: "total", kind: "kpi", title: "Revenue", source, spec }],
  });
  const { key } = await post(request, `${root}/api-keys`, { name: "git" });

  const dir = await mkdtemp(join(tmpdir(), "millrace-review-"));
  dirs.push(dir);
  const { baseURL } = test.info().project.use;
  const url = `${baseURL?.replace("//", `//any:${key}@`)}/git/${person.slug}.git`;
  await run("git", ["clone", "--quiet", url, "clone"], { cwd: dir, env: ENV });
  const clone = join(dir, "clone");
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(clone, path)), { recursive: true });
    await writeFile(join(clone, path), text);
  };
  await write("consoles/Totals.sql", values("(1, 10), (2, 25), (4, 40)"));
  await write("docs/totals.md", "# Totals\n");
  const { stdout } = await run("git", ["-C", clone, "show", "HEAD:dashboards/Board.json"], { env: ENV });
  await write("dashboards/Board.json", stdout.replace("select 5", "select 7"));
  await git(clone, "add", "--all");
  await git(clone, ...ME, "commit", "--quiet", "--message", "Correct the totals");
  await git(clone, "push", "--quiet", "origin", "HEAD:refs/heads/review/totals");
  return { root, consoleId: made.id };
}

test("lists a pushed review, shows its diff and its changed numbers, merges and deletes it", async ({
  page,
  person,
}) => {
  const { root, consoleId } = await pushReview(page.request, person);
  await page.goto(`/w/${person.slug}/activity`);
  await page.getByRole("link", { name: "Reviews" }).click();
  const row = page.getByRole("table", { name: "Reviews" }).getByRole("row", { name: /totals/ });
  await expect(row).toContainText("Correct the totals");
  await expect(row).toContainText("Open");
  await expectAccessible(page);
  await row.getByRole("link", { name: "totals" }).click();
  await expect(page.getByRole("heading", { name: "totals" })).toBeVisible();

  const file = page.getByRole("region", { name: "consoles/Totals.sql", exact: true });
  await expect(file).toContainText("(2, 25)");
  await expect(file).toContainText("(2, 20)");
  await file.getByRole("button", { name: "Compare results" }).click();
  await expect(file).toContainText("1 row added");
  await expect(file).toContainText("1 row removed");
  await expect(file).toContainText("1 row changed");
  const changed = file.getByRole("table", { name: /Changed rows/ });
  await expect(changed.getByRole("row", { name: /Changed/ })).toContainText("20 25");
  const board = page.getByRole("region", { name: "dashboards/Board.json", exact: true });
  await board.getByRole("button", { name: "Compare results" }).dblclick();
  await expect(board.getByRole("heading", { name: "Revenue" })).toBeVisible();
  await expect(board.getByRole("table", { name: /Changed rows/ })).toContainText("7");
  await expectAccessible(page);

  await page.getByRole("button", { name: "Merge" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Merge review" }).click();
  await expect(page.getByText("totals merged into main")).toBeVisible();
  await expect(page.getByRole("main")).toContainText("Merged");
  const { data } = await (await page.request.get(`${root}/consoles/${consoleId}`)).json();
  expect(data.content).toContain("(4, 40)");

  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete review" }).click();
  await expect(page).toHaveURL(/\/reviews$/);
  await expect(page.getByRole("heading", { name: "No reviews yet" })).toBeVisible();
});

test("shows the pull request of a review, which is merged at the host", { tag: "@long" }, async ({ page, person }) => {
  await pushReview(page.request, person);
  // No host is set up here: the server's answers are completed.
  const pullRequest = { number: 12, url: "https://host.example/acme/data/pull/12" };
  const follow = (review: object) => Object.assign(review, { pullRequest, mayMerge: false, mayDelete: false });
  const asked: unknown[] = [];
  await page.route(/\/api\/workspaces\/[^/]+\/reviews(?:\/totals)?(?:\?|$)/, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    for (const review of json.data.items ?? [json.data]) follow(review);
    return route.fulfill({ response, json });
  });
  await page.route("**/reviews/totals/compare", (route) => {
    const { publish, ...data } = route.request().postDataJSON();
    asked.push(publish);
    return route.continue({ postData: data });
  });
  await page.goto(`/w/${person.slug}/reviews`);
  const link = page.getByRole("link", { name: "Pull request #12" });
  await expect(link).toHaveAttribute("href", pullRequest.url);
  await expectAccessible(page);
  await page.getByRole("link", { name: "totals", exact: true }).click();
  await expect(page.getByRole("link", { name: "Open pull request" })).toHaveAttribute("href", pullRequest.url);
  await expect(page.getByRole("button", { name: "Merge" })).toBeHidden();
  const file = page.getByRole("region", { name: "consoles/Totals.sql", exact: true });
  await expect(file).toContainText("Adds row counts to the pull request");
  await file.getByRole("button", { name: "Compare results" }).click();
  await expect(file).toContainText("1 row changed");
  expect(asked).toEqual([true]);
  await expectAccessible(page);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([width, wide]).toEqual([width, 0]);
      const shots = process.env.REVIEW_SHOTS;
      if (shots) await page.screenshot({ path: join(shots, `pull-${width}-${colorScheme}.png`) });
    }
  }
});

test("shows new reviews, commits, merges and deletions of others at once", { tag: "@long" }, async ({
  page,
  person,
  baseURL,
}) => {
  const { wid } = await dashboardBench(page.request);
  const root = `/api/workspaces/${wid}/reviews`;
  const push = (name: string, text: string, branch: string) =>
    pushFiles(page.request, wid, baseURL ?? "", { [`docs/${name}.md`]: text }, branch);
  await post(page.request, `/api/workspaces/${wid}/consoles`, { name: "Start", content: "", access: "workspace" });
  await page.goto(`/w/${person.slug}/reviews`);
  await expect(page.getByRole("heading", { name: "No reviews yet" })).toBeVisible();
  await push("first", "# First\n", "review/first");
  await push("second", "# Second\n", "review/second");
  const row = (name: string) => page.getByRole("table", { name: "Reviews" }).getByRole("row", { name });
  await expect(row("first")).toContainText("Open");
  await expect(row("second")).toContainText("Open");
  await page.request.delete(`${root}/second`);
  await expect(row("second")).toBeHidden();

  await row("first").getByRole("link", { name: "first" }).click();
  const main = page.getByRole("main");
  await expect(main).toContainText("# First");
  // The merge of a head that has moved since is refused.
  await page.getByRole("button", { name: "Merge" }).click();
  await push("more", "# More\n", "review/first");
  await expect(page.getByRole("region", { name: "docs/more.md", exact: true })).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Merge review" }).click();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("Someone else changed this review");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();

  await push("elsewhere", "# Elsewhere\n", "main");
  await expect(main).toContainText("1 commit behind");
  const { data } = await (await page.request.get(`${root}/first`)).json();
  await post(page.request, `${root}/first/merge`, { sha: data.sha });
  await expect(main).toContainText("Merged");
  await page.request.delete(`${root}/first`);
  await expect(page.getByRole("heading", { name: "Review not found" })).toBeVisible();
});

test("fits every width, light and dark", { tag: "@long" }, async ({ page, person }) => {
  await pushReview(page.request, person);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1440, 1024, 390]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of ["reviews", "reviews/totals"]) {
        await page.goto(`/w/${person.slug}/${path}`);
        await expect(page.getByRole("main")).toContainText(path === "reviews" ? "Correct the totals" : "(2, 25)");
        if (path !== "reviews") {
          const file = page.getByRole("region", { name: "consoles/Totals.sql", exact: true });
          await file.getByRole("button", { name: "Compare results" }).click();
          await expect(file).toContainText("1 row changed");
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect([path, width, wide]).toEqual([path, width, 0]);
        const shots = process.env.REVIEW_SHOTS;
        if (shots)
          await page.screenshot({ path: join(shots, `${path.replace("/", "-")}-${width}-${colorScheme}.png`) });
      }
    }
  }
});

import { dashboardBench, salesBoard } from "./dashboards.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

const PASSWORD = "nine kites over the weir";

test("shares a dashboard by a link with a password, lets visitors filter, and revokes it", async ({
  page,
  person,
  browser,
}) => {
  const { make, sample } = await dashboardBench(page.request);
  const { id } = await make(salesBoard(sample));
  await page.goto(`/w/${person.slug}/dashboards/${id}`);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share Shop pulse" });
  await dialog.getByRole("radio", { name: /Anyone with the link and a password/ }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText("Enter a password of at least 8 characters.")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Save" }).click();
  const link = dialog.locator(".share-link code");
  await expect(link).toContainText("/share/");
  await expectAccessible(page);
  const address = (await link.textContent()) ?? "";

  // A visitor without an account.
  const context = await browser.newContext();
  const visitor = await context.newPage();
  await visitor.goto(address);
  await expect(visitor.getByRole("heading", { name: "Password required" })).toBeVisible();
  await expectAccessible(visitor);
  await visitor.getByRole("textbox", { name: "Password" }).fill("not this one");
  await visitor.getByRole("button", { name: "Open page" }).click();
  await expect(visitor.getByText("Wrong password.")).toBeVisible();
  await visitor.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await visitor.getByRole("button", { name: "Open page" }).click();
  await expect(visitor.getByRole("heading", { name: "Shop pulse", level: 1 })).toBeVisible();
  const revenue = visitor.getByRole("article", { name: "Revenue", exact: true });
  await expect(revenue).toContainText("€100");
  await expectAccessible(visitor);
  await visitor.getByRole("button", { name: /^Region: any/ }).click();
  await visitor.getByRole("checkbox", { name: /^north/ }).click();
  await expect(revenue).toContainText("€40");
  // Visitors see that a widget failed, but not the name of a table.
  await expect(visitor.getByRole("article", { name: "Broken" })).toContainText("Contact the person who shared it.");
  // Marks lead visitors to no rows: the browser's own menu opens.
  const web = visitor.getByRole("article", { name: "By channel" }).getByRole("row", { name: /^web/ });
  const press = { bubbles: true, cancelable: true, button: 2 };
  const isOfBrowser = (row: Element, init: MouseEventInit) => row.dispatchEvent(new MouseEvent("contextmenu", init));
  expect(await web.evaluate(isOfBrowser, press)).toBe(true);
  const days = visitor.getByRole("article", { name: "Revenue by day" }).getByRole("slider");
  await days.press("ArrowRight");
  await expect(days).toHaveAttribute("aria-valuenow", "1");
  expect(await days.evaluate(isOfBrowser, { ...press, button: 0 })).toBe(true);
  await visitor.reload();
  await expect(revenue).toContainText("€40");
  expect(await visitor.content()).not.toContain("no_such_table");

  await dialog.getByRole("button", { name: "Stop sharing" }).click();
  await page.getByRole("dialog", { name: "Stop sharing?" }).getByRole("button", { name: "Stop sharing" }).click();
  await expect(page.getByText("The link no longer works.", { exact: true })).toBeVisible();
  await expect(link).toHaveCount(0);
  const gone = await visitor.goto(address);
  expect(gone?.status()).toBe(404);
  await expect(visitor.getByRole("heading", { name: "Link not available" })).toBeVisible();
  await visitor.emulateMedia({ colorScheme: "dark" });
  await expect(visitor.locator("html")).toHaveAttribute("data-theme", "dark");
  await visitor.reload();
  await expect(visitor.locator("html")).toHaveAttribute("data-theme", "dark");
  await context.close();
});

test("lists the sites that may embed a page, with code to copy", { tag: "@long" }, async ({ page, person }) => {
  const { make, sample, root } = await dashboardBench(page.request);
  const { id } = await make(salesBoard(sample));
  await page.goto(`/w/${person.slug}/dashboards/${id}`);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share Shop pulse" });
  await dialog.getByText("Anyone with the link", { exact: true }).click();
  await dialog.getByRole("switch", { name: "Allow embedding" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByRole("alert")).toContainText("Add at least one site.");
  const field = dialog.getByRole("textbox", { name: "Allowed sites" });
  await field.fill("not a site");
  await field.press("Enter");
  await expect(dialog.getByRole("alert")).toContainText("such as https://wiki.example.com");
  await field.fill("https://Wiki.Example.com/some/page");
  await field.press("Enter");
  await field.fill("till.example.com");
  await field.press("Enter");
  await expect(dialog.getByRole("alert")).toHaveCount(0);
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Remove https://till.example.com" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText(/^<iframe src="http.*\/share\/.*title="Shop pulse"/)).toBeVisible();
  const { embed, embedOrigins } = (await (await page.request.get(`${root}/${id}/share`)).json()).data;
  expect({ embed, embedOrigins }).toEqual({ embed: true, embedOrigins: ["https://wiki.example.com"] });
  await expectAccessible(page);
});

test("refreshes the sources for every viewer", { tag: "@long" }, async ({ page, person }) => {
  const { make, sample } = await dashboardBench(page.request);
  const source = { connectionId: sample, query: "select floor(random() * 1e12)::bigint as n" };
  const spec = { measures: [{ field: "n", op: "max", as: "n" }] };
  const widgets = [{ id: "n", kind: "kpi", title: "Drawn", source, spec, layout: { x: 0, y: 0, w: 4, h: 3 } }];
  const { id } = await make({ title: "Draws", widgets });
  const address = `/w/${person.slug}/dashboards/${id}`;
  await page.goto(address);
  const figure = page.getByRole("article", { name: "Drawn" });
  await expect(figure).toContainText(/\d/);
  const first = (await figure.textContent()) ?? "";
  const second = await page.context().newPage();
  await second.goto(address);
  await expect(second.getByRole("article", { name: "Drawn" })).toHaveText(first);
  await page.getByRole("button", { name: "Dashboard actions" }).click();
  await page.getByRole("menuitem", { name: "Refresh", exact: true }).click();
  await expect(figure).not.toHaveText(first);
  const news = (await figure.textContent()) ?? "";
  await expect(second.getByRole("article", { name: "Drawn" })).toHaveText(news);
  await expect(page.getByText("Refreshing")).toHaveCount(0);
});

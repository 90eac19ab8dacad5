import { addConsole, readConsole, saveOver, shownId } from "./consoles.fixtures";
import { expect, expectAccessible, test } from "./fixtures";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test("keeps the list on a phone when leaving a console opened by URL", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  await page.goto(`/w/${person.slug}`);
  await expect(page.getByRole("heading", { name: "best-sellers.sql" })).toBeVisible();
  await page.goto(`/w/${person.slug}/consoles/${shownId(page)}`);
  await page.getByRole("button", { name: "Back to consoles" }).tap();
  await expect(consolePage.consoles).toHaveCount(1);
  await expect(page).toHaveURL(`/w/${person.slug}`);
  // It would be called back once the page knows its tabs, which it does before it can say so.
  await consolePage.consoles.first().tap();
  await expect(page).toHaveURL(/\/consoles\//);
});

test("runs the sample on a phone as cards, with list and account one tap away", async ({
  page,
  person,
  consolePage,
}) => {
  await page.goto(`/w/${person.slug}`);
  await expect(page.getByRole("heading", { name: "best-sellers.sql" })).toBeVisible();
  await consolePage.run.tap();
  await expect(page.getByRole("region", { name: "Rows" }).getByRole("listitem").first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("radio", { name: "Table" }).tap();
  await expect(consolePage.grid).toBeVisible();

  await page.getByRole("button", { name: /^select p\.name/ }).tap();
  await consolePage.write("select 7 as lucky");
  await consolePage.run.tap();
  // The selected view stays for the next result.
  await expect(consolePage.cell(1, 1)).toHaveText("7");

  await page.getByRole("button", { name: "Back to consoles" }).tap();
  await expect(consolePage.consoles).toHaveCount(1);
  await expectAccessible(page);
  await page.getByRole("button", { name: "More" }).last().tap();
  await expect(page.getByRole("dialog", { name: person.name })).toBeVisible();
  await page.getByRole("button", { name: "Dark" }).tap();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: "Sign out" }).tap();
  await expect(page).toHaveURL(/\/login$/);
});

test("compares two texts on a phone one below the other, and takes a change", {
  tag: "@long",
}, async ({ page, person, consolePage }) => {
  await page.goto(`/w/${person.slug}`);
  await expect(page.getByRole("heading", { name: "best-sellers.sql" })).toBeVisible();
  await page.getByRole("button", { name: /^select p\.name/ }).tap();
  await consolePage.write("select 'mine' as a");
  await saveOver(page.request, shownId(page), "select 'theirs' as a");
  await page.getByRole("button", { name: "Save", exact: true }).tap();
  const compare = page.getByRole("region", { name: "Compare versions" });
  await expect(compare).toContainText("Saved version 2");
  const piece = compare.getByRole("button", { name: "Use saved version" });
  const [button, line] = [await piece.boundingBox(), await compare.locator(".cm-deletedLine").boundingBox()];
  expect(button?.height).toBeGreaterThanOrEqual(44);
  // It covers none of its text.
  expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual((line?.y ?? 0) + 1);
  await expectAccessible(page);
  await piece.tap();
  await compare.getByRole("button", { name: "Save merged version" }).tap();
  await expect(compare).toHaveCount(0);
  expect((await readConsole(page.request, shownId(page)))?.content).toBe("select 'theirs' as a");
});

test("scrolls a long list on a phone above the bottom bar", { tag: "@long" }, async ({ page, person }) => {
  for (let n = 1; n <= 16; n++) await addConsole(page.request, { name: `console ${n}.sql`, content: "select 1" });
  await page.goto(`/w/${person.slug}`);
  await page.getByRole("button", { name: "Back to consoles" }).tap();
  // If the schema would have no room, the first steps collapse to one line.
  await page.getByRole("button", { name: "Get started", expanded: false }).tap();
  const last = page.getByRole("button", { name: "Hide checklist" });
  await last.scrollIntoViewIfNeeded();
  await last.tap();
  await expect(last).toHaveCount(0);
  await page.getByRole("button", { name: "More" }).last().tap();
  await expect(page.getByRole("dialog", { name: person.name })).toBeVisible();
});

test("scrolls only tables sideways on a phone", async ({ page, person, consolePage }) => {
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 700 });
    await page.goto(`/w/${person.slug}/consoles/best-sellers`);
    await expect(consolePage.run).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});

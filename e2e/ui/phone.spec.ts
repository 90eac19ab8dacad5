import { expect, expectAccessible, test } from "./fixtures";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test("on a phone the sample runs, shows cards, and list and account are one press away", async ({
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
  // The view that was chosen stays for the next result.
  await expect(consolePage.cell(1, 1)).toHaveText("7");

  await page.getByRole("button", { name: "Back to the list" }).tap();
  await expect(consolePage.consoles).toHaveCount(1);
  await expectAccessible(page);
  await page.getByRole("button", { name: "More" }).last().tap();
  await expect(page.getByRole("dialog", { name: person.name })).toBeVisible();
  await page.getByRole("button", { name: "Dark" }).tap();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.getByRole("button", { name: "Sign out" }).tap();
  await expect(page).toHaveURL(/\/login$/);
});

test("nothing on a phone needs scrolling sideways but the table", async ({ page, person, consolePage }) => {
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 700 });
    await page.goto(`/w/${person.slug}/consoles/best-sellers`);
    await expect(consolePage.run).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});

import { expect, test } from "../ui/fixtures";

const MILLION = "select range as n, 'customer ' || range as name, range % 7 as week from range(1000000)";

/** Loading a million rows on a busy machine. */
const LOAD_TIMEOUT_MS = 300_000;

test.beforeEach(async ({ page, consolePage, person }) => {
  test.setTimeout(2 * LOAD_TIMEOUT_MS);
  await consolePage.open(person.slug);
  await consolePage.write(MILLION);
  await consolePage.run.click();
  await expect(page.getByText("First 1,000 rows. More are available.")).toBeVisible();
});

test("loads a million rows, scrolls to the last, sorts, filters and sums", async ({ page, consolePage }) => {
  await page.getByRole("button", { name: "Load all" }).click();
  await expect(page.getByText("1,000,000 of 1,000,000 rows")).toBeVisible({ timeout: LOAD_TIMEOUT_MS });
  await expect(consolePage.cell(1, 2)).toHaveText("customer 0");

  await consolePage.cell(1, 1).click();
  await page.keyboard.press("ControlOrMeta+ArrowDown");
  await expect(consolePage.cell(1_000_000, 2)).toHaveText("customer 999999");
  // Some browsers cut a taller element.
  expect(await consolePage.grid.evaluate((grid) => grid.scrollHeight)).toBeLessThan(17_000_000);
  expect(await consolePage.grid.getByRole("row").count()).toBeLessThan(80);

  // 0 + 1 + ... + 999,999 = 999,999 x 500,000.
  await page.keyboard.press("ControlOrMeta+Shift+ArrowUp");
  await expect(page.getByText("1,000,000 cells: sum 499,999,500,000, avg 499,999.50")).toBeVisible();

  await page.getByRole("textbox", { name: "Filter rows" }).fill("customer 99999");
  await expect(page.getByText("11 of 1,000,000 rows")).toBeVisible();
  await expect(consolePage.cell(11, 1)).toHaveText("999,999");
  await page.getByRole("textbox", { name: "Filter rows" }).fill("");
  await expect(page.getByText("1,000,000 of 1,000,000 rows")).toBeVisible();

  const head = consolePage.grid.getByRole("columnheader", { name: /^n / });
  await head.click();
  await head.click();
  await expect(head).toHaveAttribute("aria-sort", "descending");
  await expect(consolePage.cell(1, 1)).toHaveText("999,999");
});

test("scrolls a million rows by the distance of the wheel", async ({ page, consolePage }) => {
  await page.getByRole("button", { name: "Load all" }).click();
  await expect(page.getByText("1,000,000 of 1,000,000 rows")).toBeVisible({ timeout: LOAD_TIMEOUT_MS });
  await consolePage.cell(1, 1).click();
  await page.keyboard.press("PageDown");
  await consolePage.grid.hover();
  const first = () =>
    consolePage.grid.evaluate((grid) => {
      const top = grid.getBoundingClientRect().top + 42;
      const rows = [...grid.querySelectorAll<HTMLElement>(".rg-body [role=row]")];
      const seen = rows.filter((row) => row.getBoundingClientRect().bottom > top + 1);
      return Math.min(...seen.map((row) => Number(row.ariaRowIndex ?? row.getAttribute("aria-rowindex"))));
    });
  const before = await first();
  await page.mouse.wheel(0, 280);
  // Ten rows of 28 pixels.
  await expect.poll(first).toBe(before + 10);
  // The position settles without moving the rows.
  await page.waitForTimeout(400);
  expect(await first()).toBe(before + 10);
});

test("keeps the first rows when loading is stopped", async ({ page, consolePage }) => {
  await page.getByRole("button", { name: "Load all" }).click();
  await page.getByRole("button", { name: "Cancel loading" }).click();
  await expect(page.getByRole("button", { name: "Load all" })).toBeVisible();
  await expect(page.getByText("1,000 of 1,000 rows")).toBeVisible();
  await expect(consolePage.cell(1, 2)).toHaveText("customer 0");
});

test("keeps the first rows with a message when loading breaks off", async ({ page, consolePage }) => {
  await page.route("**/execute", (route) => {
    if (route.request().headers().accept?.includes("ndjson")) return route.abort();
    return route.continue();
  });
  await page.context().route("**/execute", (route) => {
    if (route.request().headers().accept?.includes("ndjson")) return route.abort();
    return route.continue();
  });
  await page.getByRole("button", { name: "Load all" }).click();
  await expect(page.getByRole("button", { name: "Load all" })).toBeVisible();
  await expect(page.locator(".result-note .st.bad")).toBeVisible();
  await expect(consolePage.cell(1, 2)).toHaveText("customer 0");
});

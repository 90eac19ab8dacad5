import { appBench } from "./apps-people";
import { expect, expectAccessible, test } from "./fixtures";

test("apps are found by shelf, by words and among one's favourites, which are kept by a star", async ({
  page,
  person,
}) => {
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
  const star = (title: string) => page.getByRole("button", { name: `${title} among your favourites` });
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

  // What the server refuses is as it was, and is said.
  await page.route("**/favorite", (route) =>
    route.fulfill({ status: 503, json: { success: false, code: "unavailable", error: "Try again in a moment." } }),
  );
  await star("Margin explorer").click();
  await expect(page.getByText("Try again in a moment.")).toBeVisible();
  await expect(star("Margin explorer")).toHaveAttribute("aria-pressed", "true");
  await page.unroute("**/favorite");

  await page.getByRole("complementary", { name: "Explorer" }).getByRole("link", { name: "Home", exact: true }).click();
  await page.getByRole("searchbox", { name: "Find an app" }).fill("delivery");
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(1);
  await expect(page.getByRole("main").getByRole("link", { name: /Delivery promise/ })).toBeVisible();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/w/${person.slug}/apps`);
  const box = await star("Margin explorer").boundingBox();
  expect(box?.height).toBeGreaterThanOrEqual(44);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  await expectAccessible(page);
});

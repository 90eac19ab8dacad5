import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "./fixtures";
import { flowBench } from "./flows.fixtures";
import { addRule, addRunnable, runToEnd, schedulePath } from "./run.fixtures";

const LONG = "of_a_name_that_goes_on_and_on_without_any_place_to_break_it";

async function expectFits(page: Page, box: string): Promise<void> {
  const wide = await page.locator(box).evaluate((each) => each.scrollWidth - each.clientWidth);
  expect([page.url(), wide]).toEqual([page.url(), 0]);
  await expectAccessible(page);
}

for (const width of [390, 768]) {
  test.describe(`${width} wide`, () => {
    test.use({ viewport: { width, height: 844 } });

    test("fits a failed run and a console's schedule with long names", { tag: "@long" }, async ({ page, person }) => {
      const { home, make, sample } = await flowBench(page.request);
      const config = { file: "long.sqlite" };
      const data = { name: `warehouse ${LONG}`, type: "sqlite", config, readOnly: false };
      const into = (await (await page.request.post(`${home}/connectors`, { data })).json()).data.id;
      const { flow, run } = await make({
        name: `Flow ${LONG}`,
        source: { connectionId: sample, entities: [{ name: `nowhere_${LONG}` }] },
        destination: { connectionId: into, write: "replace" },
        trigger: true,
      });
      await page.goto(`/w/${person.slug}/flows/${flow.id}/runs/${run?.id}`);
      await expect(page.getByText(/^The run failed on/)).toBeVisible({ timeout: 30_000 });
      await expectFits(page, "main.page");
      // Other actions are beside the title, not in a separate row.
      const title = await page.getByRole("heading", { level: 1 }).boundingBox();
      const more = await page.getByRole("button", { name: /^Actions for Flow/ }).boundingBox();
      const distance = Math.abs((title?.y ?? 0) + (title?.height ?? 0) / 2 - (more?.y ?? 0) - (more?.height ?? 0) / 2);
      expect(distance).toBeLessThan(40);
      const node = page.locator(".graph-node").last();
      const card = page.locator(".run-card");
      const rightOf = async (of: typeof node) => of.evaluate((each) => each.getBoundingClientRect().right);
      expect(await rightOf(node)).toBeLessThanOrEqual(await rightOf(card));

      const { id } = await addRunnable(page.request, `${LONG}.sql`, "select * from nowhere");
      await addRule(page.request, id, ["failure"], { channelType: "email", recipients: [`${LONG}@example.com`] });
      await runToEnd(page.request, id);
      await page.goto(schedulePath(person, id));
      await expect(page.getByRole("table", { name: "Deliveries" }).getByText("Sent")).toBeVisible();
      await expectFits(page, ".schedule-page");
    });
  });
}

import { expect, expectAccessible, test } from "./fixtures";
import { flowBench, sendSigned } from "./flows.fixtures";
import { expectNoSidewaysScroll } from "./run.fixtures";
import { join } from "./settings.fixtures";

for (const [theme, width] of [
  ["light", 1440],
  ["dark", 390],
] as const) {
  test.describe(`in the ${theme} theme, ${width} wide`, () => {
    test.use({ colorScheme: theme, viewport: { width, height: 844 } });

    test("lists webhook events live, with their run or the reason of rejection", {
      tag: "@long",
    }, async ({ browser, page, person }) => {
      const { home, make, into } = await flowBench(page.request);
      const destination = { connectionId: into, table: "events", write: "append" };
      const { flow } = await make({ name: "Carrier tracking", type: "webhook", source: undefined, destination });
      const opened = await page.request.post(`${home}/flows/${flow.id}/webhook/provision`, { data: {} });
      const { url, secret } = (await opened.json()).data;
      await page.goto(`/w/${person.slug}/flows/${flow.id}/webhook`);
      const events = page.getByRole("table", { name: "Events" });
      await expect(page.getByText("No events yet. Send a test event")).toBeVisible();
      await page.getByRole("button", { name: "Send test event" }).click();
      const test = events.getByRole("row", { name: /millrace\.test/ });
      await expect(test).toContainText("Written", { timeout: 30_000 });

      const body = JSON.stringify({ id: "evt_1", type: "parcel.scanned", note: "x".repeat(40) });
      expect(await sendSigned(page, url, secret, body)).toBe(202);
      const first = events.getByRole("row", { name: /parcel\.scanned/ });
      await expect(first.first()).toContainText(/Run \d\d:\d\d, 1 row/, { timeout: 30_000 });
      expect(await sendSigned(page, url, secret, body)).toBe(202);
      await expect(first.first()).toContainText("Duplicate, not written");
      expect(await sendSigned(page, url, "whsec_wrong", `{"ping":true,"from":"${"velo-depot-2 ".repeat(30)}"}`)).toBe(
        401,
      );
      const refused = events.getByRole("row", { name: /Rejected/ });
      await refused.getByRole("button", { name: /Invalid signature/ }).click();
      await expect(page.getByRole("region", { name: "Start of the body" })).toContainText("velo-depot-2");
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);

      await page.getByRole("radio", { name: "Duplicates", exact: true }).click();
      await expect(refused).toHaveCount(0);
      await expect(first).toHaveCount(1);
      // The address holds the filters.
      await page.reload();
      await expect(first).toHaveCount(1);
      await expect(test).toHaveCount(0);
      await page.getByRole("radio", { name: "All" }).click();
      await page.getByRole("searchbox", { name: "Search by event ID" }).fill("evt_1");
      await expect(test).toHaveCount(0);
      await expect(first).toHaveCount(2);
      await page.getByRole("searchbox", { name: "Search by event ID" }).fill("evt_2");
      await expect(page.getByText("No matching events.")).toBeVisible();

      const jun = await join(browser, page, "member");
      await jun.page.goto(`/w/${person.slug}/flows/${flow.id}/webhook`);
      await expect(
        jun.page.getByRole("table", { name: "Events" }).getByRole("row", { name: /Rejected/ }),
      ).toBeVisible();
      await expect(jun.page.getByRole("button", { name: "Send test event" })).toHaveCount(0);
    });
  });
}

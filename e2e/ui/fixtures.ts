import { randomUUID } from "node:crypto";
import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { ConsolePage } from "../pages/console-page";

export type Person = { email: string; password: string; name: string; slug: string };
type Fixtures = {
  /** Somebody with an account and a workspace of their own, signed in in this test's browser. */
  person: Person;
  consolePage: ConsolePage;
  /** Fails the test when the page logs an error or breaks its security policy; answers of the API with 4xx are no errors. */
  quietPage: undefined;
};

export const PASSWORD = "seven herons by the mill";

export function newEmail(): string {
  return `ui-${randomUUID()}@example.com`;
}

export const test = base.extend<Fixtures>({
  quietPage: [
    async ({ page }, use) => {
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
          errors.push(message.text());
      });
      await use(undefined);
      expect(errors).toEqual([]);
    },
    { auto: true },
  ],
  person: async ({ context }, use) => {
    const email = newEmail();
    const name = "Ines Okafor";
    const answer = await context.request.post("/api/auth/register", { data: { email, password: PASSWORD, name } });
    expect(answer.status()).toBe(201);
    const { data } = await answer.json();
    await use({ email, password: PASSWORD, name, slug: data.workspace.slug });
  },
  consolePage: async ({ page }, use) => {
    await use(new ConsolePage(page));
  },
});

export { expect };

/** No violation of WCAG 2.2 AA that a machine can find. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    // Menus and dialogs are layers of their own at the end of the body, outside of every landmark.
    .disableRules(["region"])
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)).toEqual(
    [],
  );
}

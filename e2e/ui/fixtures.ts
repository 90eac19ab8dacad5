import { randomUUID } from "node:crypto";
import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import { ConsolePage } from "../pages/console-page";

export type Person = { email: string; password: string; name: string; slug: string };
type Fixtures = {
  /** A user with an account and a workspace, signed in in this test's browser. */
  person: Person;
  consolePage: ConsolePage;
  /**
   * Fails the test if the page logs an error, breaks its security policy or looks up no item; 4xx answers of the API are
   * allowed.
   */
  quietPage: undefined;
  /** Allows console errors, for a page that tries what its policy blocks. */
  isLoud: boolean;
  /** Loads the later parts of each page while it is idle. Without it a part is loaded when a test needs it. */
  isLoadedAhead: boolean;
  /** Tells pages to save data, as a browser may. Parts that no test needs cost a third of a page. */
  savedData: undefined;
};

export const PASSWORD = "seven herons by the mill";

export function newEmail(): string {
  return `ui-${randomUUID()}@example.com`;
}

/** Allowed messages: 4xx answers of the API. */
export const SAID_ANYWAY = /^Failed to load resource/;

type WorkerFixtures = {
  /**
   * Waits for the sample: a new server builds it in the background of its start, and the first test must not pay for
   * it.
   */
  sampleReady: undefined;
};

export const test = base.extend<Fixtures, WorkerFixtures>({
  sampleReady: [
    async ({ playwright }, use, { project }) => {
      const context = await playwright.request.newContext({ baseURL: project.use.baseURL });
      const registered = await context.post("/api/auth/register", { data: { email: newEmail(), password: PASSWORD } });
      const workspaceId = (await registered.json()).data.workspace.id;
      const connections = await (await context.get(`/api/workspaces/${workspaceId}/connectors`)).json();
      const url = `/api/workspaces/${workspaceId}/databases/${connections.data[0].id}/execute`;
      const answer = await context.post(url, { data: { query: "select 1" } });
      expect(answer.status()).toBe(200);
      await context.dispose();
      await use(undefined);
    },
    { scope: "worker", auto: true, timeout: 60_000 },
  ],
  isLoud: [false, { option: true }],
  isLoadedAhead: [false, { option: true }],
  savedData: [
    async ({ context, isLoadedAhead }, use) => {
      if (!isLoadedAhead) {
        await context.addInitScript(() => {
          const { connection } = navigator as { connection?: object };
          if (connection) Object.defineProperty(connection, "saveData", { value: true });
        });
      }
      await use(undefined);
    },
    { auto: true },
  ],
  quietPage: [
    async ({ page, isLoud }, use) => {
      const errors: string[] = [];
      page.on("pageerror", (error) => errors.push(String(error)));
      page.on("request", (request) => {
        if (/[?&]ids=(&|$)/.test(request.url())) errors.push(`Looks up nothing: ${request.url()}`);
      });
      page.on("console", (message) => {
        if (message.type() === "error" && !SAID_ANYWAY.test(message.text())) errors.push(message.text());
      });
      await use(undefined);
      // A delayed answer may arrive when no one waits for it.
      if (!page.isClosed()) await page.unrouteAll({ behavior: "ignoreErrors" });
      if (!isLoud) expect(errors).toEqual([]);
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

/** Expects no violation of WCAG 2.2 AA that axe can find. */
export async function expectAccessible(page: Page): Promise<void> {
  // A frame that is reloading is checked once it has loaded.
  await Promise.all(page.frames().map((frame) => frame.evaluate(untilDrawn).catch(() => {})));
  const { violations } = await new AxeBuilder({ page })
    // Only violations are described in detail.
    .options({ resultTypes: ["violations"] })
    // Frames of other origins need another page to merge their results, which takes longer than the check itself.
    .setLegacyMode(page.frames().length === 1)
    // Menus and dialogs are separate layers at the end of the body, outside of every landmark.
    .disableRules(["region"])
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)).toEqual(
    [],
  );
}

/**
 * Waits until the page is loaded and faded in. A half-faded element has half of its contrast; a half-loaded page lacks
 * styles.
 */
async function untilDrawn(): Promise<void> {
  if (document.readyState !== "complete") await new Promise((resolve) => addEventListener("load", resolve));
  // New elements start to fade in with the next frame; a frame out of sight has none.
  const drawn = () =>
    new Promise<unknown>((resolve) => {
      requestAnimationFrame(resolve);
      setTimeout(resolve, 200);
    });
  await drawn();
  await drawn();
  const passing = document.getAnimations().filter((each) => each.effect?.getTiming().iterations !== Infinity);
  await Promise.all(passing.map((each) => each.finished.catch(() => {})));
}

/** Holds back the answers to a request until they are released. */
export async function hold(page: Page, url: string): Promise<() => void> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(url, async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  return letGo;
}

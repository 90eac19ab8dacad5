import type { Page, Route } from "@playwright/test";
import { RegisterPage } from "../pages/register-page";
import { expect, expectAccessible, test } from "./fixtures";

for (const theme of ["light", "dark"] as const) {
  test.describe(`in the ${theme} theme`, { tag: theme === "dark" ? "@long" : [] }, () => {
    test.use({ colorScheme: theme });

    test("has an accessible first visit", async ({ page, person, consolePage }) => {
      await consolePage.open(person.slug);
      await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
      await expect(consolePage.schema.filter({ hasText: "products" })).toBeVisible();
      await expectAccessible(page);
    });

    test("has an accessible result and table", { tag: "@long" }, async ({ page, person, consolePage }) => {
      await consolePage.open(person.slug);
      await consolePage.run.click();
      await expect(consolePage.grid).toBeVisible();
      await consolePage.cell(1, 1).click();
      await consolePage.schema.filter({ hasText: "products" }).click();
      await expectAccessible(page);
    });

    test("has an accessible failed query", { tag: "@long" }, async ({ page, person, consolePage }) => {
      await consolePage.open(person.slug);
      await consolePage.write("select nmae from products");
      await consolePage.run.click();
      await expect(page.getByRole("heading", { name: 'Unknown column "nmae"' })).toBeVisible();
      await expectAccessible(page);
    });

    test("has an accessible account menu", { tag: "@long" }, async ({ page, person, consolePage }) => {
      await consolePage.open(person.slug);
      await consolePage.openAccountMenu();
      await expect(page.getByRole("menu")).toBeVisible();
      await expectAccessible(page);
    });

    test("has accessible sign-in, registration and not-found pages", async ({ page }) => {
      await page.goto("/login");
      await expectAccessible(page);
      const register = new RegisterPage(page);
      await register.open();
      await register.email.fill("ines");
      await register.password.fill("password");
      await register.submit.click();
      await expectAccessible(page);
      await page.goto("/nowhere");
      await expectAccessible(page);
    });
  });
}

/** Opens a page whose scripts, except the one in its head, are held back until the returned function is called. */
async function openAsleep(page: Page, path: string): Promise<() => void> {
  let wake = () => {};
  const held = new Promise<void>((resolve) => {
    wake = resolve;
  });
  await page.route("**/_next/static/**/*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(path, { waitUntil: "commit" });
  await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  return wake;
}

test("runs shortcuts that were pressed before the page was interactive", { tag: "@long" }, async ({ page, person }) => {
  const wake = await openAsleep(page, `/w/${person.slug}/settings/keyboard`);
  // So does React between loading and hydration.
  await page.evaluate(() => {
    document.addEventListener("keydown", (event) => event.stopPropagation(), { capture: true, once: true });
  });
  await page.keyboard.press("?");
  // It would create a console if the list were not loading.
  await page.keyboard.press("c");
  wake();
  await expect(page.getByRole("dialog", { name: "Shortcuts" })).toBeVisible();
  await expect(page).toHaveURL(/\/settings\/keyboard$/);

  const wakeAgain = await openAsleep(page, `/w/${person.slug}/settings/keyboard`);
  await page.keyboard.press("g");
  await page.keyboard.press("n");
  wakeAgain();
  await expect(page.getByRole("heading", { name: "Connections", level: 1 })).toBeVisible();
});

test("performs a click that came before the page was interactive, once", { tag: "@long" }, async ({ page, person }) => {
  const wake = await openAsleep(page, `/w/${person.slug}/settings/general`);
  await page.getByRole("button", { name: "Delete workspace" }).click();
  wake();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Delete workspace" })).toBeDisabled();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();

  // A toggle that was clicked twice is where it was.
  const wakeAgain = await openAsleep(page, `/w/${person.slug}/settings/keyboard`);
  const explorer = page.getByRole("button", { name: "Hide explorer" });
  await explorer.click();
  wakeAgain();
  await expect(page.getByRole("button", { name: "Show explorer" })).toBeVisible();
});

test("opens a new console that was requested by a click before the first page was interactive", async ({
  page,
  person,
  consolePage,
}) => {
  let wake = () => {};
  const held = new Promise<void>((resolve) => {
    wake = resolve;
  });
  await page.route("**/_next/static/**/*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`/w/${person.slug}`, { waitUntil: "commit" });
  await consolePage.newConsole.click();
  wake();
  await expect(consolePage.editor).toBeVisible();
  await expect(page.getByRole("tab", { name: "untitled.sql" })).toHaveAttribute("aria-selected", "true");
});

test("opens a console requested before the page was interactive beside the open ones", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  await consolePage.open(person.slug);
  await expect(page.getByRole("tab", { name: "best-sellers.sql" })).toBeVisible();
  const wake = await openAsleep(page, `/w/${person.slug}/settings/keyboard`);
  await page.keyboard.press("c");
  wake();
  await expect(consolePage.editor).toBeVisible();
  await expect(page.getByRole("tab", { name: "untitled.sql" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("tab", { name: "best-sellers.sql" })).toBeVisible();
});

test("does not treat text typed before the page was interactive as shortcuts", { tag: "@long" }, async ({
  page,
  person,
}) => {
  const wake = await openAsleep(page, `/w/${person.slug}/settings/keyboard`);
  await page.keyboard.type("select");
  await page.keyboard.press("ControlOrMeta+k");
  wake();
  await expect(page.getByRole("combobox", { name: "Search or jump to" })).toBeVisible();
  await expect(page).toHaveURL(/\/settings\/keyboard$/);
});

test("applies the theme before the first paint, and keeps it over a reload", async ({ page, person, consolePage }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await consolePage.open(person.slug);
  await consolePage.openAccountMenu();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  // The script in the head runs before the body is parsed: a reload never shows the other theme.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.body) return;
      observer.disconnect();
      document.documentElement.setAttribute("data-theme-at-body", document.documentElement.dataset.theme ?? "none");
    }).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme-at-body", "dark");
});

test("follows the system's theme by default", { tag: "@long" }, async ({ page, person, consolePage }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await consolePage.open(person.slug);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("hides, shows and resizes the explorer by keyboard", async ({ page, person, consolePage }) => {
  await consolePage.open(person.slug);
  const explorer = page.getByRole("complementary", { name: "Explorer" });
  await page.keyboard.press("ControlOrMeta+b");
  await expect(explorer).toBeHidden();
  await page.reload();
  await expect(consolePage.editor).toBeVisible();
  await expect(explorer).toBeHidden();
  await page.getByRole("button", { name: "Show explorer" }).click();
  const edge = page.getByRole("separator", { name: "Resize explorer" });
  await edge.focus();
  await page.keyboard.press("ArrowRight");
  await expect(edge).toHaveAttribute("aria-valuenow", "280");
});

test("returns an overlaid explorer to its place when there is room", {
  tag: "@long",
}, async ({ page, person, consolePage }) => {
  const explorer = page.getByRole("complementary", { name: "Explorer" });
  const wide = { width: 1440, height: 900 };
  await page.setViewportSize({ width: 860, height: 900 });
  await consolePage.open(person.slug);
  await expect(explorer).toBeHidden();
  await page.keyboard.press("ControlOrMeta+b");
  await expect(explorer).toBeVisible();
  await page.keyboard.press("ControlOrMeta+b");
  await expect(explorer).toBeHidden();
  await page.setViewportSize(wide);
  await expect(explorer).toBeVisible();
  // On a narrow screen the explorer starts closed, also if it was open beside the work.
  await page.setViewportSize({ width: 860, height: 900 });
  await expect(explorer).toBeHidden();
  await page.setViewportSize(wide);
  await page.reload();
  await expect(explorer).toBeVisible();
  // If it is closed where there is room, it stays closed.
  await page.keyboard.press("ControlOrMeta+b");
  await expect(explorer).toBeHidden();
  await page.setViewportSize({ width: 860, height: 900 });
  await page.setViewportSize(wide);
  await expect(explorer).toBeHidden();
});

test("resizes editor and result by pointer and keyboard", { tag: "@long" }, async ({ page, person, consolePage }) => {
  await consolePage.open(person.slug);
  const grip = page.getByRole("separator", { name: "Editor height" });
  const topOf = async () => (await consolePage.strip.boundingBox())?.y ?? 0;
  const before = await topOf();
  await grip.focus();
  await page.keyboard.press("ArrowDown");
  await expect.poll(topOf).toBeGreaterThan(before);
  const box = await grip.boundingBox();
  if (!box) throw new Error("The grip is not on the page.");
  const moved = await topOf();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y - 80, { steps: 4 });
  await page.mouse.up();
  await expect.poll(topOf).toBeLessThan(moved - 40);
});

test("moves between regions with F6, and lists shortcuts with ?", async ({ page, person, consolePage }) => {
  await consolePage.open(person.slug);
  await expect(consolePage.editor).toBeFocused();
  await page.keyboard.press("Shift+F6");
  await expect(consolePage.tabs.first()).toBeFocused();
  await page.keyboard.press("Shift+F6");
  await page.keyboard.press("Shift+F6");
  await expect(page.getByRole("link", { name: "Consoles" })).toBeFocused();
  await page.keyboard.press("?");
  const list = page.getByRole("dialog", { name: "Shortcuts" });
  await expect(list).toBeVisible();
  await list.getByRole("textbox", { name: "Search shortcuts" }).fill("explorer");
  await expect(list.getByRole("listitem")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(list).toHaveCount(0);
});

test("shows the name of an icon on hover and focus, and hides it with Escape", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  await consolePage.open(person.slug);
  const tip = page.locator(".tip");
  await page.getByRole("button", { name: "New console" }).first().hover();
  await expect(tip).toContainText("New console");
  await page.keyboard.press("Escape");
  await expect(tip).toHaveCount(0);
  await page.getByRole("button", { name: "Hide explorer" }).focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  await expect(tip).toContainText("Hide explorer");
});

test("keeps a console that was created while the first one was still opening", { tag: "@long" }, async ({
  page,
  person,
  consolePage,
}) => {
  let answer = () => {};
  const isAsked = new Promise<void>((asked) => {
    // The first visit creates the sample's console.
    void page.route(/\/consoles$/, async (route) => {
      if (route.request().method() === "POST") {
        const isFree = new Promise<void>((resolve) => {
          answer = resolve;
        });
        asked();
        await isFree;
      }
      await route.continue();
    });
  });
  await page.goto(`/w/${person.slug}`);
  await isAsked;
  await consolePage.create();
  await consolePage.write("select 41 + 1");
  answer();
  await expect(consolePage.tabs).toHaveCount(2);
  await expect(consolePage.editor).toHaveText("select 41 + 1");
  await page.reload();
  await expect(consolePage.editor).toHaveText("select 41 + 1");
});

test("follows a link while the first console is still opening", { tag: "@long" }, async ({ page, person }) => {
  const delay = (milliseconds: number) => async (route: Route) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    await route.continue();
  };
  // The first visit creates the sample's console; the other page loads after that.
  await page.route(/\/consoles$/, delay(1500));
  await page.route(/\/connections\?_rsc/, delay(4000));
  await page.goto(`/w/${person.slug}`);
  await page.getByRole("link", { name: "Connections" }).first().click();
  await expect(page.getByRole("heading", { name: "Connections", level: 1 })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/w/${person.slug}/connections$`));
});

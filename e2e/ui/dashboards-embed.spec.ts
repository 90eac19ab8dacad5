import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dashboardBench, salesBoard } from "./dashboards.fixtures";
import { expect, test } from "./fixtures";

const PASSWORD = "nine kites over the weir";

/** Starts another site: to the browser, 127.0.0.1 and localhost are different sites. */
async function openSite(): Promise<{ origin: string; framed: (address: string) => string; server: Server }> {
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? "/", "http://site.test").searchParams.get("show") ?? "";
    response.setHeader("Content-Type", "text/html");
    response.end(
      `<!doctype html><html lang="en"><title>Intranet</title><iframe title="Board" width=1200 height=800 src="${address}"></iframe>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, framed: (address) => `${origin}/?show=${encodeURIComponent(address)}`, server };
}

test("embeds a shared dashboard in the listed sites only", async ({ page, person, browser }) => {
  const { make, sample, root } = await dashboardBench(page.request);
  const [intranet, stranger] = [await openSite(), await openSite()];
  const { id } = await make(salesBoard(sample));
  const put = async (body: object) =>
    (await (await page.request.put(`${root}/${id}/share`, { data: body })).json()).data;
  const { url } = await put({ enabled: true, embed: true, embedOrigins: [intranet.origin] });
  const context = await browser.newContext();
  const visitor = await context.newPage();
  const board = visitor.frameLocator("iframe");
  try {
    await visitor.goto(intranet.framed(url));
    const revenue = board.getByRole("article", { name: "Revenue", exact: true });
    await expect(revenue).toContainText("€100");
    await board.getByRole("button", { name: /^Region: any/ }).click();
    await board.getByRole("checkbox", { name: /^north/ }).click();
    await expect(revenue).toContainText("€40");

    // The browser sends the request, but shows nothing of the answer.
    const answered = visitor.waitForResponse(url);
    await visitor.goto(stranger.framed(url));
    expect((await answered).status()).toBe(200);
    await expect(board.getByRole("article")).toHaveCount(0);
    const shown = () =>
      visitor
        .frames()
        .find((frame) => frame.parentFrame() !== null)
        ?.url();
    expect(shown()).toMatch(/^chrome-error:/);
    // Only pages of links can be framed.
    const own = new URL(`/w/${person.slug}/dashboards`, url).href;
    const asked = visitor.waitForResponse((answer) => answer.url().startsWith(new URL(url).origin));
    await visitor.goto(intranet.framed(own));
    await asked;
    await expect.poll(shown).toMatch(/^chrome-error:/);

    // On plain http no browser stores a cookie in a cross-site frame; the page says so.
    await put({ enabled: true, password: PASSWORD });
    await visitor.goto(intranet.framed(url));
    await board.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await board.getByRole("button", { name: "Open page" }).click();
    await expect(board.getByText("The password is correct, but cookies are blocked.")).toBeVisible();
  } finally {
    await context.close();
    for (const { server } of [intranet, stranger]) server.close();
  }
});

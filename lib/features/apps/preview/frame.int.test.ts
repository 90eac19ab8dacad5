import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { type Browser, chromium, type Frame, type Page } from "@playwright/test";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FRAME_SANDBOX } from "@/lib/features/apps/words";
import { ensureChromium } from "@/scripts/support/chromium.mjs";
import { SAMPLE_APP, toFiles } from "@/test/fixtures/apps/sandbox/sample-app";
import { openSession, stopSessions } from "../sandbox/registry";
import { answerPreview } from "./preview";

const whose = { workspaceId: new ObjectId(), appId: new ObjectId(), userId: new ObjectId() };
const APP = "src/app.tsx";
let server: Server;
let browser: Browser;
let page: Page;
let frame: Frame;
const said: string[] = [];
const opened = { documents: 0 };

/** Starts a page like ours around the frame, and the proxy's route behind a separate server. */
beforeAll(async () => {
  const { session } = await openSession(whose, async () =>
    toFiles({
      ...SAMPLE_APP,
      "src/app.tsx": `console.log("the app says so", localStorage.length);\n${SAMPLE_APP[APP]}`,
    }),
  );
  server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", `http://${request.headers.host}`);
    if (!url.pathname.startsWith("/api/apps/dev/")) {
      response.setHeader("content-type", "text/html");
      response.end(`<iframe sandbox="${FRAME_SANDBOX}" src="${session.base}"></iframe><script>
        window.said = [];
        addEventListener("message", ({ data, ports: [port] }) => {
          if (data.millrace !== "hello") return;
          port.onmessage = (event) => window.said.push(event.data);
          port.postMessage({ type: "init", base: location.origin + "${session.base}", theme: "dark", params: {} });
        });
      </script>`);
      return;
    }
    if (url.pathname === session.base) opened.documents += 1;
    const capability = url.pathname.split("/")[4] ?? "";
    const hasBody = request.method === "POST";
    const stop = new AbortController();
    response.once("close", () => stop.abort());
    const answer = await answerPreview(
      new Request(url, {
        method: request.method ?? "GET",
        headers: new Headers(request.headers as Record<string, string>),
        signal: stop.signal,
        ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: "half" }),
      }),
      capability,
    );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body)
      Readable.fromWeb(answer.body as never)
        .on("error", () => response.destroy())
        .pipe(response);
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  browser = await chromium.launch({ executablePath: await ensureChromium() });
  page = await browser.newPage();
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.message));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  frame = page.frames().find((each) => each !== page.mainFrame()) as Frame;
});
afterAll(async () => {
  await browser?.close();
  server?.close();
  await stopSessions(whose);
});

it("updates an app in an opaque-origin frame in place, keeping its state", async () => {
  const button = page.frameLocator("iframe").getByRole("button");
  await button.click();
  await expect.poll(() => button.textContent()).toBe("pressed 1 times");
  const { session } = await openSession(whose, async () => new Map());
  for (const word of ["clicked", "hit", "touched"]) {
    await session.writeFile(APP, Buffer.from(SAMPLE_APP[APP].replace("pressed", word)));
    await button.getByText(word).waitFor();
    expect(await button.textContent()).toBe(`${word} 1 times`);
  }
  expect(said.filter((text) => text.includes("Error"))).toEqual([]);
  expect(opened.documents).toBe(1);
  expect(frame.url()).toContain("/api/apps/dev/");
});

it("sends console output and the page's theme through the port", async () => {
  const told = () => page.evaluate(() => (window as unknown as { said: { type: string; text?: string }[] }).said);
  expect(await told()).toContainEqual(expect.objectContaining({ type: "console", text: "the app says so 0" }));
  await expect.poll(() => frame.evaluate(() => document.documentElement.dataset.theme)).toBe("dark");
});

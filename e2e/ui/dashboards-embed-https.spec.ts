import { mkdtemp, rm } from "node:fs/promises";
import { request as askServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { CERTIFICATE_KEY, VALID_CERTIFICATE } from "../../test/servers/certificates";
import { freePort } from "../../test/servers/free-port";
import { becomesHealthy, startServer } from "../../test/servers/millrace";
import { dashboardBench, salesBoard } from "./dashboards.fixtures";
import { expect, newEmail, PASSWORD as OWN_PASSWORD, test } from "./fixtures";

const PASSWORD = "nine kites over the weir";
/** Unpartitioned cookie in each answer. It shows that this browser does not store a frame's cookies. */
const UNPARTITIONED = "seen_everywhere";

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

async function serveHttps(handle: Handle) {
  const server = createServer({ cert: VALID_CERTIFICATE, key: CERTIFICATE_KEY }, handle);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => server.close() };
}

/** Starts a reverse proxy in front of an installation: it terminates TLS and forwards the client's address. */
async function openFront(serverPort: number) {
  const cookiesOfData: string[] = [];
  const front = await serveHttps((request, response) => {
    if (/^\/api\/share\/[^/]+\/data/.test(request.url ?? "")) cookiesOfData.push(request.headers.cookie ?? "");
    const headers = { ...request.headers, "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" };
    const { method, url } = request;
    const asked = askServer({ host: "127.0.0.1", port: serverPort, method, path: url, headers }, (answer) => {
      const cookies = [answer.headers["set-cookie"] ?? [], `${UNPARTITIONED}=1; Path=/; SameSite=None; Secure`].flat();
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, "set-cookie": cookies });
      answer.pipe(response);
    });
    asked.on("error", () => response.destroy());
    request.pipe(asked);
  });
  return { ...front, cookiesOfData };
}

test("opens a password-protected dashboard in a frame of another https site without third-party cookies", {
  tag: "@long",
}, async () => {
  test.setTimeout(180_000);
  const dataDir = await mkdtemp(join(tmpdir(), "millrace-embed-"));
  const port = await freePort();
  const front = await openFront(port);
  const origin = `https://localhost:${front.port}`;
  const env = { DATA_DIR: dataDir, SAMPLE_DATA: "on", PUBLIC_URL: origin, TRUST_PROXY: "1", RATE_LIMIT_SCALE: "1000" };
  const server = await startServer(env, port);
  const site = await serveHttps((request, response) => {
    const address = new URL(request.url ?? "/", "https://site.test").searchParams.get("show") ?? "";
    response.setHeader("Content-Type", "text/html");
    response.end(
      `<!doctype html><html lang="en"><title>Intranet</title><iframe title="Board" width=1200 height=800 src="${address}"></iframe>`,
    );
  });
  const { executablePath, args = [] } = test.info().project.use.launchOptions ?? {};
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args,
  });
  try {
    await becomesHealthy(server);
    const owner = await browser.newContext({ baseURL: origin, ignoreHTTPSErrors: true });
    const { request } = owner;
    await request.post("/api/auth/register", { data: { email: newEmail(), password: OWN_PASSWORD } });
    const { make, sample, root } = await dashboardBench(request);
    const { id } = await make(salesBoard(sample));
    // A new server builds the sample first, which is not part of the visitor's wait here.
    expect((await request.get(`${root}/${id}/data`)).status()).toBe(200);
    const there = `https://127.0.0.1:${site.port}`;
    const body = { enabled: true, password: PASSWORD, embed: true, embedOrigins: [there] };
    const { url } = (await (await request.put(`${root}/${id}/share`, { data: body })).json()).data;
    expect(url).toContain(`${origin}/share/`);

    const visitor = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
    const tools = await visitor.context().newCDPSession(visitor);
    await tools.send("Network.enable");
    await tools.send("Network.setCookieControls", { enableThirdPartyCookieRestriction: true });
    await visitor.goto(`${there}/?show=${encodeURIComponent(url)}`);
    const board = visitor.frameLocator("iframe");
    await board.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
    await board.getByRole("button", { name: "Open page" }).click();
    const revenue = board.getByRole("article", { name: "Revenue", exact: true });
    await expect(revenue).toContainText("€100");
    await board.getByRole("button", { name: /^Region: any/ }).click();
    await board.getByRole("checkbox", { name: /^north/ }).click();
    await expect(revenue).toContainText("€40");
    // It is stored for this site: today it need not be typed again.
    await visitor.reload();
    await expect(revenue).toContainText("€100");
    expect(front.cookiesOfData).not.toHaveLength(0);
    for (const cookies of front.cookiesOfData) expect(cookies).toMatch(/^millrace_share=[^;]+$/);
  } finally {
    await browser.close();
    site.close();
    front.close();
    server.process.kill("SIGTERM");
    await server.ended;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
});

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { checkOwnRunner } from "./own-runner";

const servers: { close: () => void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answering = (status: number, headers: Record<string, string> = {}) =>
  createServer((_, response) => response.writeHead(status, headers).end("ok"));

describe("C33 the health of your own Inngest server", () => {
  it.each([200, 401, 404])("C33 is ok for status %i", async (status) => {
    await expect(checkOwnRunner(await listen(answering(status)))()).resolves.toBeUndefined();
  });

  it("C33 is ok behind a path, and does not follow a redirect", async () => {
    const server = answering(302, { location: "http://127.0.0.1:9/" });
    await expect(checkOwnRunner(`${await listen(server)}/inngest`)()).resolves.toBeUndefined();
  });

  it.each([500, 502, 503])("C33 fails for status %i", async (status) => {
    await expect(checkOwnRunner(await listen(answering(status)))()).rejects.toThrow(`returned ${status}`);
  });

  it("C33 fails when nothing listens", async () => {
    await expect(checkOwnRunner("http://127.0.0.1:9")()).rejects.toThrow();
  });

  it("C33 fails when the server accepts and sends nothing", async () => {
    const silent = createTcpServer(() => {});
    await expect(checkOwnRunner(await listen(silent))()).rejects.toThrow(/timeout|aborted/i);
  });

  it("C33 fails once it stops, and recovers when it is back", async () => {
    let status = 200;
    const url = await listen(createServer((_, response) => response.writeHead(status).end()));
    const check = checkOwnRunner(url, 0);
    await check();
    status = 503;
    await expect(check()).rejects.toThrow();
    status = 200;
    await expect(check()).resolves.toBeUndefined();
  });

  it("C33 shares few probes between many checks", async () => {
    let asked = 0;
    const url = await listen(
      createServer((_, response) => {
        asked += 1;
        response.end();
      }),
    );
    const check = checkOwnRunner(url);
    for (let n = 0; n < 20; n += 1) await check();
    expect(asked).toBe(1);
  });
});

import { execFile, spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { toWebhookExample, type WebhookLanguage } from "./webhook-examples";

const SECRET = `whsec_${"0123456789abcdef".repeat(4)}`;
type Received = { method: string; type: string; signature: string; body: string };
let server: Server;
let url = "";
let received: Received[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", headers } = request;
      const type = String(headers["content-type"]);
      received.push({
        method,
        type,
        signature: String(headers["x-service-signature"]),
        body: Buffer.concat(parts).toString(),
      });
      response.writeHead(202).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/webhooks/token`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const RUN: Record<WebhookLanguage, { needs: string[]; command: (script: string) => [string, string[]] }> = {
  curl: { needs: ["sh", "curl", "openssl"], command: (script) => ["sh", ["-c", script]] },
  javascript: { needs: [], command: (script) => [process.execPath, ["--input-type=module", "-e", script]] },
  python: { needs: ["python3"], command: (script) => ["python3", ["-c", script]] },
};
const has = (program: string) => spawnSync("which", [program]).status === 0;

for (const [language, { needs, command }] of Object.entries(RUN)) {
  // An example is skipped on machines without its tools. Node.js is always present.
  it.skipIf(!needs.every(has))(`signs the bytes that the example in ${language} sends`, async () => {
    received = [];
    const [program, args] = command(toWebhookExample(language as WebhookLanguage, url));
    await promisify(execFile)(program, args, { env: { ...process.env, SECRET } });
    expect(received).toHaveLength(1);
    const { method, type, signature, body } = received[0] as Received;
    expect([method, type]).toEqual(["POST", "application/json"]);
    expect(JSON.parse(body)).toMatchObject({ id: "t1" });
    expect(signature).toBe(createHmac("sha256", SECRET).update(body).digest("hex"));
  });
}

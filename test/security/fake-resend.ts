import type { IncomingHttpHeaders } from "node:http";
import { readText, startLocalServer } from "./local-server";

type Received = { headers: IncomingHttpHeaders; body: Record<string, unknown> };
export type Mood = "accepts" | "refuses" | "fails" | "hangs" | "cuts";

export type FakeResend = {
  /** The value of RESEND_BASE_URL. */
  url: string;
  received: Received[];
  mood: Mood;
  close: () => Promise<void>;
};

/** Starts a local mail service that stores its messages. */
export async function startFakeResend(): Promise<FakeResend> {
  const answers: Partial<Record<Mood, [number, unknown]>> = {
    accepts: [200, { id: "49a3999c-0ce1-4ea6-ab68-afcd6dc2e794" }],
    refuses: [422, { name: "validation_error", message: "The to field is not an address." }],
    fails: [500, { name: "internal_server_error" }],
  };
  const server = await startLocalServer((request, response) => {
    void readText(request).then((text) => {
      const isMail = request.method === "POST" && request.url === "/emails";
      if (isMail) fake.received.push({ headers: request.headers, body: JSON.parse(text) });
      if (fake.mood === "hangs") return;
      if (fake.mood === "cuts") return response.destroy();
      const [status, body] = isMail ? (answers[fake.mood] ?? [404, {}]) : [404, {}];
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    });
  });
  const fake: FakeResend = { url: server.url, received: [], mood: "accepts", close: server.close };
  return fake;
}

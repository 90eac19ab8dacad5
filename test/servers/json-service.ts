import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export type ServiceRequest = {
  method: string;
  /** The full URL with its query. */
  url: URL;
  headers: IncomingMessage["headers"];
  body: string;
};
/** `json` or `body`, or a function that writes the response itself. */
export type ServiceAnswer =
  | { status?: number; headers?: Record<string, string>; json?: unknown; body?: string | Buffer }
  | ((response: ServerResponse) => void);
export type JsonService = {
  /** http://127.0.0.1:port, without a trailing slash. */
  address: string;
  port: number;
  /** All received requests, in order. */
  requests: ServiceRequest[];
  stop(): Promise<void>;
};

/** Starts a web service on the loopback interface that responds as the test says, well or badly. */
export async function startJsonService(
  answer: (request: ServiceRequest, turn: number) => ServiceAnswer | Promise<ServiceAnswer>,
): Promise<JsonService> {
  const requests: ServiceRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const request: ServiceRequest = {
      method: incoming.method ?? "",
      url: new URL(incoming.url ?? "/", "http://service.test"),
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString("utf8"),
    };
    const turn = requests.push(request) - 1;
    const given = await answer(request, turn);
    if (typeof given === "function") return given(response);
    const { status = 200, headers = {}, json, body = JSON.stringify(json ?? null) } = given;
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    port,
    requests,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

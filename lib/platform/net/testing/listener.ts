import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export type Listener = { port: number; hits: () => number };

/**
 * A server that counts who comes, closed at the end of the test.
 * @param serve what it does with a connection; nothing by default
 */
export async function listener(
  serve: (socket: Socket) => void = () => {},
  host = "127.0.0.1",
  port = 0,
): Promise<Listener> {
  let hits = 0;
  return track(
    createServer((socket) => {
      hits += 1;
      serve(socket);
    }),
    host,
    port,
    () => hits,
  );
}

/** Lets any server listen for the length of the test. */
export async function track(server: Server, host: string, port: number, hits: () => number): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(port, host);
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return { port: (server.address() as AddressInfo).port, hits };
}

/** An HTTP answer as bytes, for servers that answer once and close. */
export function httpAnswer(statusLine: string, headers: Record<string, string>, body = ""): string {
  const lines = Object.entries({ "Content-Length": String(Buffer.byteLength(body)), ...headers, Connection: "close" });
  return `HTTP/1.1 ${statusLine}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
}

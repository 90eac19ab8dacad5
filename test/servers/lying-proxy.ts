import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The change at one offset of a server's data. */
export type Lie = { at: number; kind: LieKind; value: number };
const KINDS = [
  "flip",
  "set",
  "zeros",
  "ones",
  "count",
  "length",
  "insert",
  "drop",
  "repeat",
  "end",
  "silence",
] as const;
export type LieKind = (typeof KINDS)[number];

/** Maximum number of bytes that an inserted, dropped or repeated part has. */
const SPAN_MAX = 64;
const SHORT_MAX = 0xffff;
const LONG = 4;

/** Returns random lies. `random` returns numbers from 0 up to 1. @param bytes length of an honest server's data */
export function someLies(random: () => number, bytes: number): Lie[] {
  const count = 1 + Math.floor(random() * 3);
  const whole = (below: number) => Math.floor(random() * below);
  return Array.from({ length: count }, () => ({
    at: whole(bytes),
    kind: KINDS[whole(KINDS.length)] ?? "flip",
    value: whole(0x1_0000_0000),
  })).sort((one, other) => one.at - other.at);
}

export type LyingProxy = {
  /** Port of the proxy; 0 if it listens on a socket. */
  port: number;
  /** The socket at which the proxy listens; empty if it listens on a port. */
  path: string;
  /** Number of bytes that the server has sent over all connections since `lies` was last set. */
  said(): number;
  /** Applies these lies to every connection from now on. */
  tell(lies: readonly Lie[]): void;
  /**
   * Withholds everything that the server sends over the present connections from now on. Later connections are honest.
   * @returns a count of the bytes that clients have sent over the silent ones since
   */
  silence(): () => number;
  stop(): Promise<void>;
};

/** Starts a proxy between a driver and an honest server that changes the server's data. */
export async function startLyingProxy(target: { port: number } | { path: string }, path = ""): Promise<LyingProxy> {
  let lies: readonly Lie[] = [];
  let said = 0;
  /** Connections that are silent, each with the bytes that its client has sent since. */
  let silenced = new Map<Socket, number>();
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    const told = lies;
    clients.add(client);
    client.once("close", () => clients.delete(client));
    const honest = "path" in target ? connect(target.path) : connect(target.port, "127.0.0.1");
    let at = 0;
    let isSilent = false;
    for (const socket of [client, honest]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        honest.destroy();
      });
    }
    client.pipe(honest);
    client.on("data", (chunk: Buffer) => {
      const asked = silenced.get(client);
      if (asked !== undefined) silenced.set(client, asked + chunk.length);
    });
    honest.on("data", (chunk: Buffer) => {
      said += chunk.length;
      const { bytes, end, silence } = changed(chunk, at, told);
      at += chunk.length;
      if (isSilent || silenced.has(client)) return;
      isSilent = silence;
      client.write(bytes);
      if (end) client.end();
    });
  });
  server.listen(...((path === "" ? [0, "127.0.0.1"] : [path]) as [number, string]));
  await once(server, "listening");
  return {
    port: path === "" ? (server.address() as AddressInfo).port : 0,
    path,
    said: () => said,
    tell: (next) => {
      lies = next;
      said = 0;
    },
    silence: () => {
      silenced = new Map([...clients].map((client) => [client, 0]));
      return () => [...silenced.values()].reduce((sum, bytes) => sum + bytes, 0);
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function changed(
  chunk: Buffer,
  start: number,
  lies: readonly Lie[],
): { bytes: Buffer; end: boolean; silence: boolean } {
  let bytes = Buffer.from(chunk);
  // From the last one, so that the offsets of earlier ones stay valid.
  for (const { at, kind, value } of lies.filter(({ at }) => at >= start && at < start + chunk.length).reverse()) {
    const place = at - start;
    const span = 1 + (value % SPAN_MAX);
    const rest = bytes.subarray(place);
    if (kind === "end") return { bytes: bytes.subarray(0, place), end: true, silence: true };
    if (kind === "silence") return { bytes: bytes.subarray(0, place), end: false, silence: true };
    if (kind === "flip") bytes[place] = (bytes[place] ?? 0) ^ (1 << (value % 8));
    if (kind === "set") bytes[place] = value & 0xff;
    if (kind === "zeros") bytes.fill(0, place, Math.min(place + LONG, bytes.length));
    if (kind === "ones") bytes.fill(0xff, place, Math.min(place + LONG, bytes.length));
    if (kind === "count" && rest.length >= 2)
      bytes.writeUInt16BE(value % 2 === 0 ? SHORT_MAX : value & SHORT_MAX, place);
    if (kind === "length" && rest.length >= LONG) bytes.writeInt32BE(value % 2 === 0 ? 0x7fffffff : value | 0, place);
    if (kind === "insert") bytes = Buffer.concat([bytes.subarray(0, place), Buffer.alloc(span, value), rest]);
    if (kind === "drop") bytes = Buffer.concat([bytes.subarray(0, place), rest.subarray(span)]);
    if (kind === "repeat") bytes = Buffer.concat([bytes.subarray(0, place), rest.subarray(0, span), rest]);
  }
  return { bytes, end: false, silence: false };
}

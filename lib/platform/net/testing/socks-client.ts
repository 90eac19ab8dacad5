import { once } from "node:events";
import { connect, isIPv4, isIPv6, type Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { onTestFinished } from "vitest";
import type { ProxyOptions } from "@/lib/platform/net/socks";
import { ByteReader } from "@/lib/platform/net/socks-reader";

type Ask = { host: string; port: number; command?: number; password?: string; method?: number };

/** A SOCKS5 client by the letter of RFC 1928. @returns the server's reply code, null when it just hung up */
export async function askSocks(options: ProxyOptions, ask: Ask): Promise<{ code: number | null; socket: Socket }> {
  const socket = connect({ host: options.proxyHost, port: options.proxyPort, allowHalfOpen: true });
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on("error", () => {});
  await once(socket, "connect");
  const reader = new ByteReader(socket);
  try {
    socket.write(Buffer.from([5, 1, ask.method ?? 2]));
    if ((await reader.take(2))[1] !== 2) return { code: null, socket };
    socket.write(Buffer.from([1, ...text(options.proxyUsername), ...text(ask.password ?? options.proxyPassword)]));
    if ((await reader.take(2))[1] !== 0) return { code: null, socket };
    socket.write(Buffer.from([5, ask.command ?? 1, 0, ...address(ask.host), ask.port >> 8, ask.port & 255]));
    const code = (await reader.take(10)).readUInt8(1);
    reader.release();
    return { code, socket };
  } catch {
    return { code: null, socket };
  }
}

/** Addresses that the protocol has a binary form for go in it, as stock clients send them; the rest as names. */
function address(host: string): number[] {
  if (isIPv4(host)) return [1, ...ipaddr.parse(host).toByteArray()];
  if (isIPv6(host) && !host.includes("%")) return [4, ...ipaddr.parse(host).toByteArray()];
  return [3, ...text(host)];
}

function text(value: string): number[] {
  const bytes = Buffer.from(value);
  return [bytes.length, ...bytes];
}

import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import library from "ssh2";
import { afterEach, describe, expect, test } from "vitest";
import { listener } from "@/test/fixtures/net/listener";
import { testPolicy } from "@/test/fixtures/net/policy";
import { fingerprintOf, toFingerprint } from "./host-key";
import { checkPrivateKey } from "./private-key";
import { type SshTarget, SshTunnel } from "./tunnel";

/*
 * How an SSH server may treat a tunnel, with the library's server and one that does not speak SSH. Tests with a real
 * server are in `test/conformance/drivers/tunnel.int.test.ts`.
 */

// Parts of the library's server that tests use; the product uses only its client.
type Auth = { method: string; username: string; password?: string; accept(): void; reject(methods?: string[]): void };
type Info = { destIP: string; destPort: number };
type SshPeer = {
  on(event: "authentication", listen: (auth: Auth) => void): SshPeer;
  on(event: "tcpip", listen: (accept: () => Duplex, reject: () => void, info: Info) => void): SshPeer;
  on(event: "error" | "close" | "ready", listen: () => void): SshPeer;
  end(): void;
};
type SshServer = Server & { new (config: object, onPeer: (peer: SshPeer) => void): SshServer };
const { Server: LibraryServer } = library as unknown as { Server: SshServer };

const HOST_KEY = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
  type: "pkcs1",
  format: "pem",
});
const PASSWORD = "marker-Pa55word-of-the-test";
const KNOWN = publicFingerprint(String(HOST_KEY));

function publicFingerprint(pem: string) {
  const key = [library.utils.parseKey(pem)].flat()[0];
  if (!key || key instanceof Error) throw new Error("no key");
  return fingerprintOf(key.getPublicSSH());
}

const leftovers: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of leftovers.splice(0).reverse()) await end();
});

type Forward = (accept: () => Duplex, reject: () => void, info: Info, peer: SshPeer) => void;

/** Starts an SSH server that accepts everyone with the password. */
async function startSsh({ forward, onAuth }: { forward?: Forward; onAuth?: (auth: Auth) => void } = {}) {
  const seen = { connections: 0, methods: [] as string[], passwords: [] as string[], forwards: [] as Info[] };
  const peers = new Set<SshPeer>();
  const server = new LibraryServer({ hostKeys: [HOST_KEY] }, (peer) => {
    seen.connections += 1;
    peers.add(peer);
    peer.on("error", () => {});
    peer.on("close", () => peers.delete(peer));
    peer.on("authentication", (auth) => {
      seen.methods.push(auth.method);
      if (auth.password !== undefined) seen.passwords.push(auth.password);
      if (onAuth) return onAuth(auth);
      if (auth.method === "password" && auth.password === PASSWORD) auth.accept();
      else auth.reject(["password"]);
    });
    peer.on("tcpip", (accept, reject, info) => {
      seen.forwards.push(info);
      if (forward) forward(accept, reject, info, peer);
      else
        accept()
          .on("error", () => {})
          .resume();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  leftovers.push(() => {
    for (const peer of peers) peer.end();
    server.close();
  });
  const cut = () => {
    for (const peer of peers) peer.end();
  };
  return { port: (server.address() as AddressInfo).port, seen, cut };
}

const POLICY = () => testPolicy("databases", { names: { "jump.test": [["127.0.0.1"]], "db.test": [["10.9.8.7"]] } });

function tunnelTo(port: number, more: Partial<SshTarget> = {}, policy = POLICY()): SshTunnel {
  const target = { host: "jump.test", port, user: "millrace", password: PASSWORD, privateKey: null, hostKey: KNOWN };
  const tunnel = new SshTunnel({ ...target, ...more }, policy);
  leftovers.push(() => tunnel.close());
  return tunnel;
}

/** Connects to a database behind the tunnel, which is on this machine. */
async function dial(tunnel: SshTunnel, port = 5432): Promise<Socket> {
  const socket = tunnel.socket();
  const failed = once(socket, "error").then(([error]) => Promise.reject(error));
  socket.connect({ host: "127.0.0.1", port });
  await Promise.race([once(socket, "connect"), failed]);
  failed.catch(() => {});
  return socket;
}

describe("the server's key", () => {
  test("is reported if nobody has confirmed it, and nothing is sent", async () => {
    const { port, seen } = await startSsh();
    await expect(dial(tunnelTo(port, { hostKey: null }))).rejects.toMatchObject({
      details: { reason: "host_key_unknown", hostKeySha256: KNOWN },
    });
    expect(seen.methods).toEqual([]);
  });

  test("that differs from the confirmed one is a warning, and nothing is sent", async () => {
    const { port, seen } = await startSsh();
    const hostKey = toFingerprint("A".repeat(43));
    await expect(dial(tunnelTo(port, { hostKey }))).rejects.toMatchObject({
      message: expect.stringMatching(/^WARNING/),
      details: { reason: "host_key_changed" },
    });
    expect(seen.passwords).toEqual([]);
  });

  test("is accepted with or without its prefix and padding; anything else is invalid", () => {
    const signs = "uNiVztksCsDhcc0u9e8BrwsSCCwnPJz8cX0K2v1m2bU";
    for (const text of [signs, `${signs}=`, `SHA256:${signs}`, ` SHA256:${signs}\n`]) {
      expect(toFingerprint(text)).toBe(`SHA256:${signs}`);
    }
    for (const text of ["", "SHA256:", `MD5:${signs}`, signs.slice(1), `${signs}A`, "16:27:ac:a5:76:28:2d:36:63:1b"]) {
      expect(() => toFingerprint(text)).toThrow("Invalid fingerprint");
    }
  });
});

describe("SSH authentication", () => {
  test("with a wrong password fails with a fixed message", async () => {
    const { port } = await startSsh();
    const failure = await dial(tunnelTo(port, { password: "wrong" })).catch((error) => error);
    expect(failure).toMatchObject({ kind: "source_unreachable", details: { reason: "ssh_sign_in" } });
    expect(failure.message).not.toContain("wrong");
  });

  test("by prompts sends the password once, and never to a visible question", async () => {
    type Prompting = Auth & {
      prompt(prompts: object[], done: (answers: string[]) => void): void;
    };
    const answered: string[][] = [];
    const ask = (echo: boolean) => (auth: Auth) => {
      if (auth.method !== "keyboard-interactive") return auth.reject(["keyboard-interactive"]);
      (auth as Prompting).prompt([{ prompt: "Password:", echo }], (answers) => {
        answered.push(answers);
        if (answers[0] === PASSWORD) auth.accept();
        else auth.reject();
      });
    };
    await dial(tunnelTo((await startSsh({ onAuth: ask(false) })).port));
    await expect(dial(tunnelTo((await startSsh({ onAuth: ask(true) })).port))).rejects.toMatchObject({
      details: { reason: "ssh_sign_in" },
    });
    expect(answered.flat().filter((answer) => answer === PASSWORD)).toHaveLength(1);
  });

  test("rejects an invalid key, a public key and one with a passphrase before they are stored", async () => {
    await checkPrivateKey(String(HOST_KEY));
    const locked = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
      type: "pkcs1",
      format: "pem",
      cipher: "aes-128-cbc",
      passphrase: "x",
    });
    await expect(checkPrivateKey(String(locked))).rejects.toThrow("has a passphrase");
    for (const text of [
      "",
      "x",
      "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----",
      "ssh-rsa AAAA",
    ]) {
      await expect(checkPrivateKey(text)).rejects.toThrow("Invalid private key");
    }
  });
});

describe("tunnelled connections", () => {
  test("share one tunnel, 20 at once, each with its own data", async () => {
    const { port, seen } = await startSsh({
      forward: (accept) => {
        const channel = accept();
        channel.pipe(channel);
      },
    });
    const tunnel = tunnelTo(port);
    const sockets = await Promise.all(Array.from({ length: 20 }, () => dial(tunnel)));
    const echoes = await Promise.all(
      sockets.map(async (socket, index) => {
        const sent = Buffer.alloc(300_000, index + 1);
        const got: Buffer[] = [];
        socket.on("data", (chunk: Buffer) => got.push(chunk));
        socket.end(sent);
        await once(socket, "end");
        return Buffer.concat(got).equals(sent);
      }),
    );
    expect(echoes).toEqual(Array(20).fill(true));
    expect(seen.connections).toBe(1);
    expect(seen.forwards).toHaveLength(20);
  });

  test("apply back-pressure to the sender if the reader stops", async () => {
    let isStopped = false;
    let sent = 0;
    const { port } = await startSsh({
      forward: (accept) => {
        const channel = accept();
        const piece = Buffer.alloc(64 * 1024);
        const write = () => {
          while (!isStopped && channel.write(piece)) sent += piece.length;
          if (!isStopped) channel.once("drain", write);
        };
        channel.on("error", () => {});
        write();
      },
    });
    const socket = await dial(tunnelTo(port));
    socket.pause();
    let before = -1;
    // Polls until the socket takes no further bytes.
    await expect
      .poll(
        () => {
          const isSame = sent === before;
          before = sent;
          return isSame && sent > 0;
        },
        { timeout: 20_000, interval: 300 },
      )
      .toBe(true);
    expect(sent).toBeLessThan(16 * 1024 * 1024);
    isStopped = true;
  });

  test("end when the tunnel is cut, and the next one opens another", async () => {
    const { port, seen, cut } = await startSsh();
    const tunnel = tunnelTo(port);
    const sockets = await Promise.all(Array.from({ length: 5 }, () => dial(tunnel)));
    const ends = sockets.map((socket) => once(socket, "error").then(([error]) => error));
    cut();
    for (const error of await Promise.all(ends)) expect(error).toMatchObject({ details: { reason: "closed" } });
    await expect
      .poll(() =>
        dial(tunnel).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(seen.connections).toBe(2);
  });

  test("all end on close, open ones and later ones", async () => {
    const { port } = await startSsh();
    const tunnel = tunnelTo(port);
    const socket = await dial(tunnel);
    const closed = once(socket, "close");
    await tunnel.close();
    await closed;
    await expect(dial(tunnel)).rejects.toMatchObject({ details: { reason: "closed" } });
  });

  test("fail with a message if the server does not forward or never answers", async () => {
    const refusing = await startSsh({ forward: (_, reject) => reject() });
    await expect(dial(tunnelTo(refusing.port))).rejects.toMatchObject({ details: { reason: "not_forwarded" } });
    const silent = await startSsh({ forward: () => {} });
    await expect(dial(tunnelTo(silent.port))).rejects.toMatchObject({ details: { reason: "not_forwarded" } });
  });
});

describe("servers that are not SSH", () => {
  const answering = async (answer: (socket: Socket) => void) => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      answer(socket);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    leftovers.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  };

  test.each([
    ["HTTP", (socket: Socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["nothing, and goes", (socket: Socket) => socket.end()],
    ["an old SSH", (socket: Socket) => socket.write("SSH-1.5-OpenSSH_1.2\r\n")],
    ["rubbish behind its name", (socket: Socket) => socket.write(`SSH-2.0-x\r\n${"\xff".repeat(1000)}`)],
    ["a packet of 4 GiB", (socket: Socket) => socket.write(Buffer.from("SSH-2.0-x\r\n\xff\xff\xff\xff\x04", "latin1"))],
    ["a line without an end", (socket: Socket) => socket.write("x".repeat(1_000_000))],
  ])("reports one that says %s", async (_, answer) => {
    const failure = await dial(tunnelTo(await answering(answer))).catch((error) => error);
    expect(failure).toMatchObject({ kind: "source_unreachable", details: { reason: expect.any(String) } });
  });

  test("times out one that drips its greeting", async () => {
    const port = await answering((socket) => {
      const timer = setInterval(() => socket.write("x\r\n"), 50);
      socket.once("close", () => clearInterval(timer));
    });
    await expect(dial(tunnelTo(port))).rejects.toMatchObject({ kind: "timeout" });
  });
});

describe("T30 the target of a tunnel", () => {
  const to = async (host: string, policy = POLICY(), port = 5432) => {
    const ssh = await startSsh();
    const tunnel = tunnelTo(ssh.port, {}, policy);
    const socket = tunnel.socket();
    socket.connect({ host, port });
    const outcome = await new Promise((resolve) => {
      socket.once("connect", () => resolve("open"));
      socket.once("error", (error: Error & { kind?: string }) => resolve(error.kind));
    });
    return { outcome, forwards: ssh.seen.forwards, connections: ssh.seen.connections };
  };

  test.each([
    "169.254.169.254",
    "metadata.google.internal",
    "fd00:ec2::254",
    "224.0.0.1",
    "::ffff:10.0.0.1",
    "0.0.0.0",
  ])("%s is refused before anything is opened", async (host) => {
    expect(await to(host)).toEqual({ outcome: "address_refused", forwards: [], connections: 0 });
  });

  test.each(["127.1", "0x7f.1", "localhost.", "/tmp/x.sock", "a b"])("%s is not a host", async (host) => {
    expect(await to(host)).toMatchObject({ outcome: "invalid_request", connections: 0 });
  });

  test("T38 refuses the platform's own services by name and by address", async () => {
    const own = [{ host: "store.test", port: 5432, addresses: ["10.9.8.7"] }];
    const policy = () => Object.assign(POLICY(), { ownEndpoints: async () => own });
    for (const host of ["store.test", "10.9.8.7", "db.test"]) {
      expect(await to(host, policy())).toMatchObject({ outcome: "address_refused", forwards: [] });
    }
    expect(await to("10.9.8.6", policy())).toMatchObject({ outcome: "open" });
  });

  test("reaches through a tunnel to this machine only what this machine may reach", async () => {
    const own = [{ host: "127.0.0.1", port: 5432, addresses: ["127.0.0.1"] }];
    const policy = Object.assign(POLICY(), { ownEndpoints: async () => own });
    expect(await to("127.0.0.1", policy)).toMatchObject({ outcome: "address_refused", forwards: [] });
    expect(await to("127.0.0.1", policy, 5433)).toMatchObject({ outcome: "open" });
  });

  test("T33 dials the checked address of a name through such a tunnel", async () => {
    const { outcome, forwards } = await to("db.test");
    expect(outcome).toBe("open");
    expect(forwards).toMatchObject([{ destIP: "10.9.8.7", destPort: 5432 }]);
  });

  test("dials the tunnel's server through the egress proxy", async () => {
    const canary = await listener((socket) => socket.destroy());
    const policy = testPolicy("none", { names: { "jump.test": [["127.0.0.1"]] } });
    await expect(dial(tunnelTo(canary.port, {}, policy))).rejects.toMatchObject({ kind: "address_refused" });
    expect(canary.hits()).toBe(0);
  });
});

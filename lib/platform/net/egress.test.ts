import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { isIPv6 } from "node:net";
import { describe, expect, test } from "vitest";
import { LOOPBACK_FORMS, OTHER_REFUSED } from "@/test/fixtures/net/forms";
import { type Listener, listener } from "@/test/fixtures/net/listener";
import { testPolicy } from "@/test/fixtures/net/policy";
import { askSocks } from "@/test/fixtures/net/socks-client";
import type { Purpose } from "./address";
import { openSocket } from "./connect";
import { fetchThrough } from "./fetch-through";
import { connectingSocket, unconnectedSocket } from "./guarded-socket";
import { guardedHttpAgent } from "./http-agent";
import { checkTarget, checkWebAddress } from "./judge";
import type { EgressPolicy } from "./policy";
import { safeFetch } from "./safe-fetch";
import { openSocksDoor } from "./socks";

type Attempt = { host: string; port: number; policy: EgressPolicy };
/** Resolves when a connection was established, rejects when it was refused. */
type EgressPoint = (attempt: Attempt) => Promise<unknown>;

/** Reached only when a test waits for an answer that must not come. */
const TIMEOUT_MS = 20_000;
const LIMITS = { timeoutMs: TIMEOUT_MS, maxResponseBytes: 1000 };
const webAddress = ({ host, port }: Attempt) => `http://${isIPv6(host) ? `[${host}]` : host}:${port}/`;

const EGRESS_POINTS: Record<string, EgressPoint> = {
  "a host to be stored": ({ host, port, policy }) => checkTarget({ purpose: "database", host, port }, policy),
  "a web address to be stored": (attempt) => checkWebAddress(webAddress(attempt), "http", attempt.policy),
  "a socket": ({ host, port, policy }) =>
    openSocket({ purpose: "database", host, port, timeoutMs: TIMEOUT_MS }, policy),
  "a driver's stream, connected by the driver": ({ host, port, policy }) =>
    once(unconnectedSocket("database", policy)().connect(port, host), "connect"),
  "a driver's stream": ({ host, port, policy }) =>
    once(connectingSocket({ purpose: "database", host, port }, policy)(), "connect"),
  "the SOCKS door": async ({ host, port, policy }) => {
    const door = await openSocksDoor(policy);
    try {
      const { code } = await askSocks(door.options, { host, port });
      // 2 is "not allowed by ruleset".
      if (code === 2) throw Object.assign(new Error("refused"), { status: 400 });
    } finally {
      await door.close();
    }
  },
  "a webhook": (attempt) => safeFetch(webAddress(attempt), { purpose: "http", ...LIMITS }, attempt.policy),
  "a library's fetch": (attempt) => fetchThrough("http", attempt.policy)(webAddress(attempt)),
  "a client with an http agent": ({ host, port, policy }) =>
    new Promise((resolve, reject) => {
      const agent = guardedHttpAgent("database", {}, policy);
      httpRequest({ host, port, agent, headers: { host: "example.com" } })
        .on("response", resolve)
        .on("error", reject)
        .end();
    }),
};

describe.each(Object.entries(EGRESS_POINTS))("T30 T31 T32 T34 %s", (_name, attempt) => {
  test("never reaches a loopback canary, in any spelling of its address", async () => {
    const canary = await listener((socket) => socket.destroy());
    const outcomes = await outcomesOf(LOOPBACK_FORMS, attempt, canary.port);
    expect(outcomes.filter(({ status }) => status !== 400)).toEqual([]);
    expect(canary.hits()).toBe(0);
  });

  test("refuses every range that is not public", async () => {
    const outcomes = await outcomesOf(OTHER_REFUSED, attempt, 8443);
    expect(outcomes.filter(({ status }) => status !== 400)).toEqual([]);
  });

  test("refuses a name if one of its addresses is refused", async () => {
    const canary = await listener((socket) => socket.destroy());
    const policy = testPolicy("none", { names: { "mixed.test": [["127.0.0.1", "1.1.1.1"]] } });
    await expect(attempt({ host: "mixed.test", port: canary.port, policy })).rejects.toMatchObject({ status: 400 });
    expect(canary.hits()).toBe(0);
  });

  test("refuses the platform's own store with all private networks allowed (T38)", async () => {
    const store = await listener((socket) => socket.destroy());
    const own = [{ host: "store.internal", port: store.port, addresses: ["127.0.0.1"] }];
    const names = { localhost: [["127.0.0.1"]], "alias.test": [["127.0.0.1"]], "store.internal": [["10.0.0.1"]] };
    const policy = testPolicy("all", { own, names });
    for (const host of ["127.0.0.1", "127.0.0.2", "::1", "localhost", "alias.test", "store.internal"]) {
      await expect(attempt({ host, port: store.port, policy }), host).rejects.toMatchObject({ status: 400 });
    }
    expect(store.hits()).toBe(0);
  });
});

describe("with private networks allowed for databases", () => {
  const reach = (name: string, attempt: Attempt) => (EGRESS_POINTS[name] as EgressPoint)(attempt);

  test("lets a database connection reach loopback, but not a webhook", async () => {
    const canary = await listener((socket) => socket.end("HTTP/1.1 204 No Content\r\n\r\n"));
    const attempt = { host: "127.0.0.1", port: canary.port, policy: testPolicy("databases") };
    await reach("a driver's stream", attempt);
    await reach("the SOCKS door", attempt);
    await reach("a client with an http agent", attempt);
    expect(canary.hits()).toBe(3);
    await expect(reach("a webhook", attempt)).rejects.toMatchObject({ kind: "address_refused" });
    await expect(reach("a library's fetch", attempt)).rejects.toMatchObject({ kind: "address_refused" });
    expect(canary.hits()).toBe(3);
  });

  test.each(["169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "metadata.google.internal"])(
    "refuses metadata at %s in every mode and for every purpose",
    async (host) => {
      for (const mode of ["none", "databases", "all"] as const) {
        for (const purpose of ["database", "http", "platform"] satisfies Purpose[]) {
          await expect(checkTarget({ purpose, host, port: 80 }, testPolicy(mode))).rejects.toMatchObject({
            kind: "address_refused",
          });
        }
      }
    },
  );
});

test("reports every refusal alike: private, metadata, own store, resolved or literal", async () => {
  const own = [{ host: "store.internal", port: 27_017, addresses: ["10.1.1.1"] }];
  const policy = testPolicy("none", { own, names: { "inside.test": [["10.0.0.1"]], "store.internal": [["1.1.1.1"]] } });
  const messages = new Set<string>();
  for (const [host, port] of [
    ["10.0.0.1", 80],
    ["inside.test", 80],
    ["169.254.169.254", 80],
    ["store.internal", 27_017],
  ] as const) {
    await checkTarget({ purpose: "http", host, port }, policy).catch((error: Error) =>
      messages.add(`${error.name} ${error.message}`),
    );
  }
  expect(messages.size).toBe(1);
});

test("T33 uses one lookup and its checked address for a name that changes its answer", async () => {
  const { honest, canary } = await onOnePort();
  let expected = 0;
  for (const [name, attempt] of Object.entries(EGRESS_POINTS)) {
    const policy = testPolicy("all", { names: { "rebind.test": [["127.0.0.2"], ["127.0.0.1"]] } });
    await attempt({ host: "rebind.test", port: honest.port, policy });
    expect(policy.lookups, name).toEqual(["rebind.test"]);
    if (!name.includes("to be stored")) expected += 1;
  }
  expect(honest.hits()).toBe(expected);
  expect(canary.hits()).toBe(0);
});

test("does not report an unknown name as a refusal", async () => {
  await expect(
    checkTarget({ purpose: "http", host: "nowhere.test", port: 80 }, testPolicy("none")),
  ).rejects.toMatchObject({
    kind: "source_unreachable",
    details: { reason: "name" },
  });
});

/** Starts an honest server and a canary at two addresses, on a port that is free at both. */
async function onOnePort(): Promise<{ honest: Listener; canary: Listener }> {
  for (;;) {
    const honest = await listener((socket) => socket.end("HTTP/1.1 204 No Content\r\n\r\n"), "127.0.0.2");
    try {
      return { honest, canary: await listener((socket) => socket.destroy(), "127.0.0.1", honest.port) };
    } catch (error) {
      // Another process uses this port at that address: try the next free port.
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
}

async function outcomesOf(forms: readonly string[], attempt: EgressPoint, port: number) {
  const names = { localhost: [["127.0.0.1", "::1"]] };
  return Promise.all(
    forms.map(async (host) => {
      const policy = testPolicy("none", { names });
      const status = await attempt({ host, port, policy }).then(
        () => "connected",
        (error: { status?: number; message: string }) => error.status ?? error.message,
      );
      return { host, status };
    }),
  );
}

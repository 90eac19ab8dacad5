import { once } from "node:events";
import { request } from "node:http";
import { createConnection } from "mysql2/promise";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { listener } from "@/test/fixtures/net/listener";
import { testPolicy } from "@/test/fixtures/net/policy";
import { connectingSocket, unconnectedSocket } from "./guarded-socket";
import { guardedHttpAgent } from "./http-agent";
import type { EgressPolicy } from "./policy";

type Connect = (port: number, policy: EgressPolicy) => Promise<unknown>;

/** The real drivers, connected through the egress proxy as the product does it. */
const DRIVERS: Record<string, Connect> = {
  pg: (port, policy) =>
    new Client({ host: "db.test", port, user: "bob", stream: unconnectedSocket("database", policy) }).connect(),
  mysql2: (port, policy) => {
    const stream = connectingSocket({ purpose: "database", host: "db.test", port }, policy);
    return createConnection({ host: "db.test", port, user: "bob", stream });
  },
  // For clients that speak HTTP and take an agent.
  "node:http": async (port, policy) => {
    const asking = request({ agent: guardedHttpAgent("database", {}, policy), host: "db.test", port });
    asking.end();
    await once(asking, "response");
  },
};

describe.each(Object.entries(DRIVERS))("T37 %s", (_name, connect) => {
  const names = { "db.test": [["127.0.0.1"], ["127.0.0.2"]] };

  test("passes the reason of a refusal on and dials nothing", async () => {
    const canary = await listener((socket) => socket.destroy());
    await expect(connect(canary.port, testPolicy("none", { names }))).rejects.toMatchObject({
      kind: "address_refused",
    });
    expect(canary.hits()).toBe(0);
  });

  test("looks the name up once and dials an allowed address", async () => {
    const server = await listener((socket) => socket.destroy());
    const policy = testPolicy("databases", { names });
    await expect(connect(server.port, policy)).rejects.not.toMatchObject({ kind: "address_refused" });
    expect(server.hits()).toBe(1);
    expect(policy.lookups).toEqual(["db.test"]);
  });
});

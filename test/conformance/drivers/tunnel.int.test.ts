import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mongodb } from "@/lib/features/connections/drivers/mongodb";
import { mysql } from "@/lib/features/connections/drivers/mysql";
import { postgres } from "@/lib/features/connections/drivers/postgres";
import { startDocumentStore } from "@/test/servers/document-store";
import { freePort } from "@/test/servers/free-port";
import { startMariaDb } from "@/test/servers/mariadb";
import { startPostgres } from "@/test/servers/postgres";
import { type Sshd, startSshd } from "@/test/servers/sshd";
import type { Driver, QueryableSource } from "../../../lib/features/connections/data-source";
import { ask, openWith } from "./subjects";

/** Databases behind a real SSH server; `lib/platform/net/ssh/tunnel.int.test.ts` covers a lying one. */
type Behind = { driver: Driver; config: Record<string, unknown>; one: string; endless: string; stop(): Promise<void> };

const START: Record<string, () => Promise<Behind | null>> = {
  postgres: async () => {
    const server = await startPostgres();
    if (!server) return null;
    const { host, port, user, password, database, stop } = server;
    const config = { host, port, user, password, database };
    return { driver: postgres, config, one: "select 1", endless: "select pg_sleep(600)", stop };
  },
  mariadb: async () => {
    const server = await startMariaDb();
    if (!server) return null;
    const { host, port, user, password, database, stop } = server;
    const config = { host, port, user, password, database };
    return { driver: mysql, config, one: "select 1", endless: "select sleep(600)", stop };
  },
  mongodb: async () => {
    const { uri, stop } = await startDocumentStore();
    const config = { connectionString: uri, database: "shop" };
    return { driver: mongodb, config, one: "db.nothing.countDocuments({})", endless: "", stop };
  },
};

const signal = () => AbortSignal.timeout(60_000);
const sshd = await startSshd();
if (!sshd)
  process.stderr.write("\nNOT TESTED: openssh-server is not installed, so no tunnel was opened through it.\n\n");

const tunnelOf = ({ host, port, user, privateKey, hostKeySha256 }: Sshd) => ({
  host,
  port,
  user,
  privateKey,
  hostKeySha256,
});

describe.runIf(sshd !== null)("through a tunnel", () => {
  const ssh = sshd as Sshd;
  afterAll(() => ssh?.stop());

  describe.each(Object.keys(START))("%s", (name) => {
    let behind: Behind | null = null;
    const sources: QueryableSource[] = [];
    beforeAll(async () => {
      behind = (await START[name]?.()) ?? null;
      if (!behind) process.stderr.write(`\nNOT TESTED: ${name} is not installed, so no tunnel led to it.\n\n`);
    });
    afterAll(async () => {
      await Promise.all(sources.map((source) => source.close()));
      await behind?.stop();
    });
    const open = async (tunnel: object = tunnelOf(ssh), more: object = {}) => {
      const { driver, config } = behind as Behind;
      const source = await openWith(driver, { ...config, ...more, ssh: tunnel });
      sources.push(source);
      return source;
    };

    test("runs a test, a query, the tables, and 20 queries at once", async ({ skip }) => {
      if (!behind) return skip();
      const source = await open();
      let steps: string[] = [];
      const facts = await source.test(signal(), (progress) => {
        expect(progress.failedStep).toBeNull();
        steps = progress.steps.map((step) => step.name);
      });
      expect(facts.serverVersion).toMatch(/\d/);
      expect(steps.slice(0, 2)).toEqual(["tunnel", "reach"]);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ask(source, (behind as Behind).one, { signal: signal() })),
      );
      expect(answers.map(({ rows }) => rows.length)).toEqual(Array(20).fill(1));
      expect(await source.entities(signal())).toEqual(expect.any(Array));
    });

    test("closes the tunnel with its source, leaving nothing", async ({ skip }) => {
      if (!behind) return skip();
      const source = await open();
      await ask(source, behind.one, { signal: signal() });
      expect(await connectionsTo(ssh.port)).toBeGreaterThan(0);
      await Promise.all(sources.splice(0).map((each) => each.close()));
      await expect.poll(() => connectionsTo(ssh.port), { timeout: 30_000 }).toBe(0);
    });

    test("fails running queries when a tunnel dies, and opens a new one for the next", async ({ skip }) => {
      if (!behind) return skip();
      const source = await open();
      await ask(source, behind.one, { signal: signal() });
      if (behind.endless !== "") {
        const running = ask(source, behind.endless, { signal: signal() });
        running.catch(() => {});
        await expect.poll(() => connectionsTo(ssh.port), { timeout: 30_000 }).toBeGreaterThan(0);
        await ssh.restart();
        await expect(running).rejects.toMatchObject({ kind: "source_unreachable" });
      } else await ssh.restart();
      await expect
        .poll(
          async () => (await ask(source, (behind as Behind).one, { signal: signal() }).catch(() => null))?.rows.length,
          {
            timeout: 30_000,
          },
        )
        .toBe(1);
    });

    test("cancels an aborted query on the server through the tunnel", async ({ skip }) => {
      if (!behind || behind.endless === "") return skip();
      const source = await open();
      const stop = new AbortController();
      const running = ask(source, behind.endless, { signal: stop.signal });
      running.catch(() => {});
      setTimeout(() => stop.abort(new Error("enough")), 300);
      await expect(running).rejects.toThrow("enough");
      expect((await ask(source, behind.one, { signal: signal() })).rows).toHaveLength(1);
    });

    test("T37 sends nothing to a server with another key, and names an unknown one by fingerprint", async ({
      skip,
    }) => {
      if (!behind) return skip();
      const { hostKeySha256: _, ...unknown } = tunnelOf(ssh);
      const source = await open(unknown);
      await expect(source.test(signal())).rejects.toMatchObject({
        kind: "source_unreachable",
        message: expect.stringContaining(ssh.hostKeySha256),
        details: { reason: "host_key_unknown", hostKeySha256: ssh.hostKeySha256 },
      });
      const changed = await open({ ...unknown, hostKeySha256: `SHA256:${"A".repeat(43)}` });
      await expect(changed.test(signal())).rejects.toMatchObject({
        message: expect.stringMatching(/^WARNING/),
        details: { reason: "host_key_changed" },
      });
      expect(await open({ ...unknown, hostKeySha256: `${ssh.hostKeySha256.slice(7)}=` })).toBeDefined();
    });

    test("distinguishes a wrong password from a missing database", async ({ skip }) => {
      if (!behind || name === "mongodb") return skip();
      const stranger = await open({ ...tunnelOf(ssh), user: "somebody-else" });
      await expect(stranger.test(signal())).rejects.toMatchObject({ details: { reason: "ssh_sign_in" } });
      const nowhere = await open(tunnelOf(ssh), { port: await freePort() });
      await expect(nowhere.test(signal())).rejects.toMatchObject({ details: { reason: "not_forwarded" } });
      const gone = await open({ ...tunnelOf(ssh), port: await freePort() });
      await expect(gone.test(signal())).rejects.toMatchObject({
        message: expect.stringMatching(/^The SSH server is unreachable\./),
        details: { reason: "refused" },
      });
    });
  });
});

/** Counts this process's connections that are established to a port of this machine. */
async function connectionsTo(port: number): Promise<number> {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const lines = (await readFile("/proc/net/tcp", "utf8")).split("\n").slice(1);
  // The third field is the remote end, the fourth the state: 01 is established.
  return lines.filter((line) => {
    const [, , remote, state] = line.trim().split(/\s+/);
    return remote?.endsWith(`:${hex}`) && state === "01";
  }).length;
}

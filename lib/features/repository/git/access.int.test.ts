import { gzipSync } from "node:zlib";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashToken } from "@/lib/features/accounts/tokens";
import { collections } from "@/lib/features/instance/collections";
import { findWorkspaceSlug } from "@/lib/features/workspaces/service";
import { env } from "@/lib/platform/env";
import { takeOwnDatabase } from "@/test/database";
import { type GitWorld, newGitWorld } from "@/test/fixtures/repository/git/git-world";
import { put } from "@/test/fixtures/repository/repository-fixture";
import { type Person, removeMember, seedKey, seedMember, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
let world: GitWorld;
let stranger: Person;
beforeAll(async () => {
  env().RATE_LIMIT_SCALE = 100;
  world = await newGitWorld();
  stranger = await seedPerson("Stan");
  await world.save("First", [put("consoles/a.sql", "select 1\n")]);
});
afterAll(async () => {
  await world.end();
  await own.drop();
});

const basic = (key: string) => `Basic ${Buffer.from(`anybody:${key}`).toString("base64")}`;
const DISCOVERY = "info/refs?service=git-upload-pack";
const LS_REFS = "0014command=ls-refs\n0000";

async function ask(path: string, headers: Record<string, string>, slug = world.slug) {
  const response = await fetch(`${world.base}/${slug}.git/${path}`, {
    headers: { "git-protocol": "version=2", ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function post(headers: Record<string, string>, body: BodyInit, slug = world.slug) {
  const response = await fetch(`${world.base}/${slug}.git/git-upload-pack`, {
    method: "POST",
    headers: { "git-protocol": "version=2", "content-type": "application/x-git-upload-pack-request", ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("a repository's URL", () => {
  it("accepts full and read-only keys, as a password or bearer token", async () => {
    for (const access of ["full", "read"] as const) {
      const key = await world.keyOf(world.owner, access);
      for (const authorization of [basic(key), `Bearer ${key}`]) {
        const found = await ask(DISCOVERY, { authorization });
        expect(found.status).toBe(200);
        expect(found.headers.get("content-type")).toBe("application/x-git-upload-pack-advertisement");
        expect(found.text.startsWith("000eversion 2\n")).toBe(true);
        expect((await post({ authorization }, LS_REFS)).text).toContain("refs/heads/main");
      }
    }
  });

  it("asks for a key without one, whatever the cookie", async () => {
    for (const headers of [{}, { cookie: world.owner.cookie }] as Record<string, string>[]) {
      for (const slug of [world.slug, "no-such-workspace"]) {
        for (const answer of [await ask(DISCOVERY, headers, slug), await post(headers, LS_REFS, slug)]) {
          expect(answer.status).toBe(401);
          expect(answer.headers.get("www-authenticate")).toContain("Basic realm=");
          expect(answer.text).not.toContain("main");
        }
      }
    }
  });

  it("rejects unknown, malformed, expired and revoked keys, and those of former members", async () => {
    const leaver = await seedMember(world.owner.workspaceId, "admin");
    const left = await world.keyOf(leaver);
    await removeMember(world.owner.workspaceId, leaver);
    const [ended, revoked] = [await world.keyOf(world.owner), await world.keyOf(world.owner)];
    const workspaceId = world.workspaceId;
    await collections
      .apiKeys()
      .updateOne({ workspaceId, hash: hashToken(ended) }, { $set: { expiresAt: new Date(0) } });
    await collections.apiKeys().deleteOne({ workspaceId, hash: hashToken(revoked) });
    const bad = [basic(left), basic(ended), basic(revoked), basic("mr_unknown"), basic(""), "Basic !", "Digest x", ""];
    for (const authorization of bad) {
      const answer = await ask(DISCOVERY, { authorization, cookie: world.owner.cookie });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
      expect(answer.headers.get("www-authenticate")).toContain("Basic realm=");
    }
  });

  it("returns the same for another workspace's repository as for a missing one", async () => {
    const key = await seedKey(stranger.workspaceId, stranger);
    const authorization = basic(key);
    const theirs = (await findWorkspaceSlug(new ObjectId(stranger.workspaceId))) ?? "";
    expect((await ask(DISCOVERY, { authorization }, theirs)).status).toBe(200);
    const plain = ({ status, text }: { status: number; text: string }) => ({ status, text });
    const unknown = plain(await ask(DISCOVERY, { authorization }, "no-such-workspace"));
    expect(unknown).toEqual({ status: 404, text: "Repository not found.\n" });
    expect(plain(await ask(DISCOVERY, { authorization }, world.slug))).toEqual(unknown);
    expect(plain(await post({ authorization }, LS_REFS, world.slug))).toEqual(unknown);
  });

  it("accepts pushes with full keys only, and a first attempt without one", async () => {
    const push = async (headers: Record<string, string>, slug = world.slug) => {
      const type = { "content-type": "application/x-git-receive-pack-request" };
      const response = await fetch(`${world.base}/${slug}.git/git-receive-pack`, {
        method: "POST",
        headers: { ...type, ...headers },
        body: "0000",
      });
      return { status: response.status, text: await response.text() };
    };
    const [full, read] = [await world.keyOf(world.owner), await world.keyOf(world.owner, "read")];
    expect(await push({ authorization: basic(full) })).toEqual({ status: 200, text: "" });
    expect((await push({ authorization: basic(read) })).status).toBe(403);
    expect((await ask("info/refs?service=git-receive-pack", { authorization: basic(read) })).status).toBe(403);
    expect((await push({})).status).toBe(401);
    expect((await push({ cookie: world.owner.cookie })).status).toBe(401);
    expect((await push({ authorization: basic(await seedKey(stranger.workspaceId, stranger)) })).status).toBe(404);
    expect((await push({ authorization: basic(full), "content-type": "text/plain" })).status).toBe(415);
  });

  it("serves git's protocol only", async () => {
    const authorization = basic(await world.keyOf(world.owner));
    for (const path of ["HEAD", "info/refs", "objects/info/packs", "info/refs?service=git-upload-archive", "config"]) {
      const answer = await ask(path, { authorization });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const page = await post({ authorization, "content-type": "text/plain" }, LS_REFS);
    expect(page.status).toBe(415);
  });

  it("is never compressed, framed or cached", async () => {
    const authorization = basic(await world.keyOf(world.owner));
    const { headers } = await post({ authorization, "accept-encoding": "gzip" }, LS_REFS);
    expect(headers.get("content-encoding")).toBeNull();
    expect(headers.get("cache-control")).toContain("no-transform");
    expect(headers.get("cache-control")).toContain("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  it("accepts a compressed request, with the same limit", async () => {
    const authorization = basic(await world.keyOf(world.owner));
    const gzip = { authorization, "content-encoding": "gzip" };
    expect((await post(gzip, gzipSync(LS_REFS))).text).toContain("refs/heads/main");
    expect((await post(gzip, gzipSync(Buffer.alloc(64 * 1024 * 1024)))).status).toBe(413);
    expect((await post(gzip, "no gzip")).status).toBe(400);
    expect((await post({ authorization, "content-encoding": "br" }, LS_REFS)).status).toBe(415);
  });

  it("rejects invalid messages", async () => {
    const authorization = basic(await world.keyOf(world.owner));
    const bad = ["nonsense", "0014command=ls-refs\n", "0003", "ffff", "0016command=something\n0000"];
    for (const body of bad) expect([body, (await post({ authorization }, body)).status]).toEqual([body, 400]);
  });
});

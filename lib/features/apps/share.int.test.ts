import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, callRaw } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type AppAuthor, authorOf } from "@/test/fixtures/apps/app-author";
import { type Person, seedMember, seedPerson } from "@/test/seed";
import type { App } from "./schema";

const own = takeOwnDatabase();
let [ana, ben] = [] as unknown as [Person, Person];
let [anas, bens] = [] as unknown as [AppAuthor, AppAuthor];
let picture: Buffer;
beforeAll(async () => {
  ana = await seedPerson("Ana");
  ben = await seedMember(ana.workspaceId, "member");
  [anas, bens] = [ana, ben].map((person) => authorOf(person, ana.workspaceId)) as [AppAuthor, AppAuthor];
  picture = await sharp({ create: { width: 1600, height: 800, channels: 3, background: "#204060" } })
    .png()
    .toBuffer();
});
afterAll(own.drop);

const put = (app: App, body: object) => anas.send("PUT", `/${app.id}/share`, { enabled: true, ...body });
const at = (token: string, rest = "", headers: Record<string, string> = {}) =>
  call("GET", `/api/share/${token}${rest}`, { headers });
const ask = (token: string, headers: Record<string, string> = {}) =>
  call("POST", `/api/share/${token}/view-token`, { headers });

async function published(title: string, access = "workspace"): Promise<App> {
  const app = await anas.make(title, { access, description: "How it goes" });
  await anas.write(app, "thumbnail.png", picture);
  await anas.commit(app);
  await anas.send("POST", `/${app.id}/publish`);
  return app;
}

describe("the share of an app", () => {
  it("shows the published app to everyone with the link, also of a private app", async () => {
    const app = await published("Shown", "private");
    const { token } = (await put(app, {})).json.data;
    expect((await at(token)).json.data).toEqual({
      kind: "app",
      title: "Shown",
      description: "How it goes",
      needsPassword: false,
    });
    const { url, sha } = (await ask(token)).json.data;
    expect(sha).toBe((await anas.send("GET", `/${app.id}`)).json.data.publishedSha);
    expect((await call("GET", new URL(url).pathname)).text).toContain("<h1>Shown</h1>");
    // The share is not of a dashboard.
    expect((await at(token, "/dashboard")).status).toBe(404);
    expect((await at(token, "/data")).status).toBe(404);
  });

  it("revokes its URLs at once, and has none before the first publish", async () => {
    const app = await published("Ended");
    const { token } = (await put(app, {})).json.data;
    const given = new URL((await ask(token)).json.data.url).pathname;
    expect((await call("GET", given)).status).toBe(200);
    await put(app, { enabled: false });
    expect((await call("GET", given)).status).toBe(404);
    expect((await ask(token)).status).toBe(404);
    await put(app, { enabled: true });
    await anas.send("DELETE", `/${app.id}/share`);
    expect((await call("GET", given)).status).toBe(404);
    const empty = await anas.make("Never published");
    const { token: other } = (await put(empty, {})).json.data;
    expect(await ask(other)).toMatchObject({ status: 404, json: { code: "not_published" } });
    await anas.send("DELETE", `/${empty.id}`);
    expect((await at(other)).status).toBe(404);
  });

  it("requires its password before it returns a URL, and the eleventh wrong one is 429 (T95)", async () => {
    const app = await published("Locked");
    const { token, hasPassword } = (await put(app, { password: "open sesame now" })).json.data;
    expect(hasPassword).toBe(true);
    expect((await ask(token)).status).toBe(401);
    const unlock = (password: string) => call("POST", `/api/share/${token}/unlock`, { body: { password } });
    const opened = await unlock("open sesame now");
    const cookie = opened.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    expect((await ask(token, { cookie })).status).toBe(200);
    const wrong: number[] = [];
    for (let n = 0; n < 11; n++) wrong.push((await unlock("not this one")).status);
    expect(wrong).toEqual([...Array(10).fill(401), 429]);
  });

  it("can be framed by listed sites only", async () => {
    const app = await published("Embedded");
    const { token } = (await put(app, { embed: true, embedOrigins: ["https://www.example.com"] })).json.data;
    const { url } = (await ask(token)).json.data;
    const policy = (await call("GET", new URL(url).pathname)).headers.get("content-security-policy");
    expect(policy).toContain("frame-ancestors http://localhost:3000 https://www.example.com");
  });

  it("is controlled by its owner, an admin or a workspace owner", async () => {
    const app = await published("Owned");
    expect((await bens.send("PUT", `/${app.id}/share`, { enabled: true })).status).toBe(403);
    expect((await bens.send("DELETE", `/${app.id}/share`)).status).toBe(403);
    expect((await bens.send("GET", `/${app.id}/share`)).json.data).toBeNull();
    const theirs = await bens.make("Theirs", { access: "workspace" });
    expect((await put(theirs, {})).status).toBe(200);
  });
});

describe("the preview image of a link", () => {
  it("is the thumbnail as a JPEG, with an ETag (T98)", async () => {
    const app = await published("Pictured");
    const { token } = (await put(app, {})).json.data;
    const answer = await callRaw("GET", `/api/share/${token}/og-image`);
    const { oid } = (await anas.read(app, "thumbnail.png")).json.data;
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/jpeg",
      "cache-control": expect.stringContaining("public, max-age=300"),
      etag: `"${oid}"`,
    });
    expect([answer.headers.get("set-cookie"), answer.headers.get("vary")]).toEqual([null, null]);
    expect(await sharp(Buffer.from(await answer.arrayBuffer())).metadata()).toMatchObject({
      format: "jpeg",
      width: 1200,
      height: 600,
    });
    const again = await at(token, "/og-image", { "if-none-match": `"${oid}"` });
    expect([again.status, again.text]).toEqual([304, ""]);
    // Disabled since: the response is not 304.
    await put(app, { enabled: false });
    expect((await at(token, "/og-image", { "if-none-match": `"${oid}"` })).status).toBe(404);
  });

  it("is the same 404 for each reason (T96)", async () => {
    const app = await published("None");
    const reasons: [string, () => Promise<string>][] = [
      ["unknown", async () => "nothing"],
      ["off", async () => (await put(app, { enabled: false })).json.data.token],
      ["with a password", async () => (await put(app, { password: "open sesame now" })).json.data.token],
      [
        "without a picture",
        async () => {
          const plain = await anas.make("Plain");
          return (await put(plain, {})).json.data.token;
        },
      ],
      [
        "with a picture that is none",
        async () => {
          const bad = await anas.make("Bad", { access: "workspace" });
          await anas.write(bad, "thumbnail.png", "<svg/>");
          await anas.commit(bad);
          await anas.send("POST", `/${bad.id}/publish`);
          return (await put(bad, {})).json.data.token;
        },
      ],
    ];
    const bodies: string[] = [];
    for (const [reason, make] of reasons) {
      const answer = await at(await make(), "/og-image");
      expect(answer.status, reason).toBe(404);
      expect(answer.headers.get("cache-control"), reason).toContain("no-store");
      bodies.push(answer.text);
    }
    expect(new Set(bodies).size).toBe(1);
  });
});

import { Collection } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { toSignInFailure } from "@/lib/features/accounts/browser/sign-in-failure";
import { collections } from "@/lib/features/instance/collections";
import { type Answer, call, cookieOf } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import {
  begin,
  comeBack,
  Jar,
  newUser,
  PUBLIC_URL,
  settingsOf,
  signInWith,
} from "@/test/fixtures/accounts/provider-sign-in";
import { takeOwnStore } from "@/test/fixtures/own-store";
import { type FakeGitHub, startFakeGitHub } from "@/test/security/fake-github";
import { captureLog } from "@/test/security/log-lines";

/* The store is killed during a sign-in with a provider. */

const BROWSER = { accept: "text/html,application/xhtml+xml" };
const store = await takeOwnStore();
const own = takeOwnDatabase();
let github: FakeGitHub;

beforeAll(async () => {
  github = await startFakeGitHub();
  Object.assign(process.env, settingsOf(github));
});
afterAll(async () => {
  await store.start();
  await own.drop();
  await store.close();
  await github.close();
});

/** Requires that the browser is sent to the sign-in page, which says what to do. */
function expectAdvice({ status, headers, text }: Answer): void {
  const location = new URL(headers.get("location") ?? "", PUBLIC_URL);
  expect([status, location.pathname]).toEqual([302, "/login"]);
  expect(toSignInFailure(location.searchParams.get("error"))).toBe(
    "The database was unavailable during sign-in. Try again in a moment.",
  );
  expect(headers.get("retry-after")).toBe("2");
  expect(headers.getSetCookie().filter((line) => line.startsWith("auth_session="))).toEqual([]);
  expect(text).not.toMatch(/Mongo|at .*:\d+:\d+/);
}

it("sends a browser back to the sign-in page while the store is away, and 503 to other clients", async () => {
  const log = captureLog("warn");
  for (const headers of [BROWSER, {}]) {
    const user = newUser();
    const jar = new Jar();
    const back = github.agree((await begin(jar)).headers.get("location") ?? "", user);
    await store.kill();
    const answer = await comeBack(jar, back, headers);
    await store.start();
    if (headers === BROWSER) expectAdvice(answer);
    else expect([answer.status, answer.json.code]).toEqual([503, "unavailable"]);
    const again = await signInWith(github, user, jar);
    expect(again.headers.get("location")).toBe(`${PUBLIC_URL}/w/harbour`);
    const { json } = await call("GET", "/api/auth/me", { cookie: cookieOf(again) });
    expect(json.data.workspaces).toMatchObject([{ role: "owner" }]);
  }
  expect(log.stop().filter((line) => line.includes('"stack"'))).toEqual([]);
});

describe("a store that is killed", () => {
  for (const name of ["users", "accounts", "sessions"]) {
    it(`before the write to ${name} leaves no account without its sign-in`, {
      tags: name === "accounts" ? [] : ["long"],
    }, async () => {
      const user = newUser();
      const insertOne = Collection.prototype.insertOne;
      const spy = vi.spyOn(Collection.prototype, "insertOne").mockImplementation(async function (
        this: Collection,
        ...given
      ) {
        if (this.collectionName === name) await store.kill();
        return insertOne.apply(this, given as never);
      });
      const jar = new Jar();
      const back = github.agree((await begin(jar)).headers.get("location") ?? "", user);
      expectAdvice(await comeBack(jar, back, BROWSER));
      spy.mockRestore();
      await store.start();

      const again = await signInWith(github, user, jar);
      expect(again.headers.get("location")).toBe(`${PUBLIC_URL}/w/harbour`);
      const { json } = await call("GET", "/api/auth/me", { cookie: cookieOf(again) });
      expect(json.data.user.email).toBe(`octo-${user.id}@example.com`);
      expect(json.data.workspaces).toMatchObject([{ role: "owner" }]);
      expect(await collections.users().countDocuments({ email: json.data.user.email })).toBe(1);
    });
  }
});

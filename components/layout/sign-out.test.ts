import { afterEach, expect, it, vi } from "vitest";
import { goToLogin, isLeaving, signOut } from "./sign-out";

afterEach(() => vi.unstubAllGlobals());

it("ignores rejections during sign-out; an expired session leads back to the page", async () => {
  const assign = vi.fn();
  vi.stubGlobal("window", { location: { pathname: "/w/acme/flows", search: "?show=paused", assign } });
  expect(isLeaving()).toBe(false);
  goToLogin();
  expect(isLeaving()).toBe(true);
  expect(assign.mock.calls).toEqual([["/login?next=%2Fw%2Facme%2Fflows%3Fshow%3Dpaused"]]);
  vi.stubGlobal("fetch", async () => new Response(JSON.stringify({ success: true, data: null })));
  await signOut();
  goToLogin();
  expect(assign.mock.calls.slice(1)).toEqual([["/login"]]);
});

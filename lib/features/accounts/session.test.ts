import { describe, expect, it } from "vitest";
import { renewedExpiry, SESSION_ABSOLUTE_MS, SESSION_IDLE_MS, sessionTokenOf } from "./session";

const DAY = 24 * 60 * 60 * 1000;
const at = (ms: number) => new Date(ms);

describe("renewedExpiry (T12)", () => {
  it("keeps a session with half of its 30 days or more left", () => {
    const session = { createdAt: at(0), expires: at(SESSION_IDLE_MS) };
    expect(renewedExpiry(session, at(14 * DAY))).toBeNull();
  });

  it("extends a session with less than half left to 30 days", () => {
    const session = { createdAt: at(0), expires: at(SESSION_IDLE_MS) };
    expect(renewedExpiry(session, at(16 * DAY))).toEqual(at(46 * DAY));
  });

  it("never extends a session beyond 180 days", () => {
    const session = { createdAt: at(0), expires: at(175 * DAY) };
    expect(renewedExpiry(session, at(170 * DAY))).toEqual(at(SESSION_ABSOLUTE_MS));
    expect(renewedExpiry({ createdAt: at(0), expires: at(SESSION_ABSOLUTE_MS) }, at(179 * DAY))).toBeNull();
  });
});

describe("sessionTokenOf", () => {
  it.each([
    ["auth_session=abc", "abc"],
    ["a=1; auth_session=abc; b=2", "abc"],
    ["auth_session=a=b", "a=b"],
    ["auth_session=", null],
    ["xauth_session=abc", null],
    [null, null],
  ])("%s gives %s", (header, token) => {
    expect(sessionTokenOf(header)).toBe(token);
  });
});

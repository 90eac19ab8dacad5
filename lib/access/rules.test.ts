import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import type { Principal } from "./caller";
import type { Role } from "./roles";
import {
  account,
  admin,
  anyCredential,
  member,
  open,
  orAnyKey,
  owner,
  peopleOnly,
  requireAccess,
  signIn,
} from "./rules";

const W1 = new ObjectId();
const W2 = new ObjectId();
const user = { _id: new ObjectId(), email: "a@example.com", name: "A", emailVerified: null, createdAt: new Date(0) };
const session = (role: Role | null): Principal => ({
  via: "session",
  sessionId: new ObjectId(),
  user,
  role,
  setCookie: null,
});
const key = (role: Role, workspaceId = W1): Principal => ({
  via: "key",
  keyId: new ObjectId(),
  workspaceId,
  user,
  role,
});

/** The code that the caller meets, or "ok". */
function outcome(
  access: Parameters<typeof requireAccess>[0],
  principal: Principal | null,
  workspaceId: ObjectId | null = W1,
) {
  try {
    requireAccess(access, principal, workspaceId);
    return "ok";
  } catch (error) {
    return (error as { kind?: string }).kind;
  }
}

describe("requireAccess", () => {
  it.each<[string, Parameters<typeof requireAccess>[0], Record<string, string>]>([
    ["open", open, { nobody: "ok", member: "ok", key: "ok" }],
    ["sign-in", signIn, { nobody: "ok", member: "ok", key: "forbidden" }],
    ["account", account, { nobody: "unauthenticated", stranger: "ok", member: "ok", key: "forbidden" }],
    ["any credential", anyCredential, { nobody: "unauthenticated", stranger: "ok", member: "ok", key: "ok" }],
    [
      "member",
      member,
      {
        nobody: "unauthenticated",
        stranger: "forbidden",
        member: "ok",
        admin: "ok",
        key: "ok",
        memberKey: "ok",
        foreignKey: "forbidden",
      },
    ],
    [
      "admin",
      admin,
      {
        nobody: "unauthenticated",
        stranger: "forbidden",
        member: "forbidden",
        admin: "ok",
        owner: "ok",
        key: "ok",
        memberKey: "forbidden",
        foreignKey: "forbidden",
      },
    ],
    ["owner", owner, { member: "forbidden", admin: "forbidden", owner: "ok", key: "ok" }],
    ["admin, people only", peopleOnly(admin), { member: "forbidden", admin: "ok", key: "forbidden" }],
    [
      "admin or any key",
      orAnyKey(admin),
      {
        nobody: "unauthenticated",
        member: "forbidden",
        admin: "ok",
        key: "ok",
        memberKey: "ok",
        foreignKey: "forbidden",
      },
    ],
  ])("%s", (_, access, expected) => {
    const principals: Record<string, Principal | null> = {
      nobody: null,
      stranger: session(null),
      member: session("member"),
      admin: session("admin"),
      owner: session("owner"),
      key: key("owner"),
      memberKey: key("member"),
      foreignKey: key("owner", W2),
    };
    const actual = Object.fromEntries(
      Object.keys(expected).map((name) => [name, outcome(access, principals[name] ?? null)]),
    );
    expect(actual).toEqual(expected);
  });
});

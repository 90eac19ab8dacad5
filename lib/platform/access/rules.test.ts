import { ObjectId } from "mongodb";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { BySession, Caller, Identity, UserCaller } from "./caller";
import type { Role } from "./roles";
import { type Access, account, admin, anyCredential, member, open, orAnyKey, owner, peopleOnly, signIn } from "./rules";

const W1 = new ObjectId();
const W2 = new ObjectId();
const user = { _id: new ObjectId(), email: "a@example.com", name: "A", emailVerified: null, createdAt: new Date(0) };
const session = (role: Role | null): Identity => ({
  user,
  via: { kind: "session", sessionId: new ObjectId() },
  membership: role && { workspaceId: W1, role },
});
const key = (role: Role, workspaceId = W1): Identity => {
  const membership = { workspaceId, role };
  return { user, via: { kind: "key", keyId: new ObjectId(), membership, access: "full" }, membership };
};

/** Returns the code that the caller gets, or "ok". */
function outcome(access: Access, identity: Identity | null) {
  try {
    access.authorize(identity, W1);
    return "ok";
  } catch (error) {
    return (error as { kind?: string }).kind;
  }
}

describe("principals that an access rule admits", () => {
  it.each<[string, Access, Record<string, string>]>([
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
    const identities: Record<string, Identity | null> = {
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
      Object.keys(expected).map((name) => [name, outcome(access, identities[name] ?? null)]),
    );
    expect(actual).toEqual(expected);
  });
});

describe("the caller of an access rule", () => {
  it("for a workspace has the workspace and the role, and nothing that was only looked up", () => {
    const identity = { ...session("admin"), setCookie: "secret", connection: null };
    const { via } = identity;
    expect(admin.authorize(identity, W1)).toEqual({ workspaceId: W1, role: "admin", user, via });
    expect(peopleOnly(member).authorize(identity, W1)).toEqual({ workspaceId: W1, role: "admin", user, via });
    const byKey = key("member");
    expect(orAnyKey(admin).authorize(byKey, W1)).toEqual({ workspaceId: W1, role: "member", user, via: byKey.via });
  });

  it("for an account has no workspace and no role; an open route has no caller", () => {
    const identity = session("owner");
    expect(account.authorize(identity, W1)).toEqual({ user, via: identity.via });
    expect(anyCredential.authorize(key("owner"), null)).toEqual({
      user,
      via: expect.objectContaining({ kind: "key" }),
    });
    expect([open.authorize(identity, W1), signIn.authorize(identity, W1)]).toEqual([null, null]);
  });

  it("is missing for a membership of another workspace, by session or key", () => {
    const inOther = { ...session("owner"), membership: { workspaceId: W2, role: "owner" as const } };
    expect([outcome(member, inOther), outcome(member, key("owner", W2))]).toEqual(["forbidden", "forbidden"]);
  });

  it("is typed by the access rule", () => {
    expectTypeOf<CallerOf<typeof open>>().toEqualTypeOf<null>();
    expectTypeOf<CallerOf<typeof signIn>>().toEqualTypeOf<null>();
    expectTypeOf<CallerOf<typeof account>>().toEqualTypeOf<UserCaller<BySession>>();
    expectTypeOf<CallerOf<typeof anyCredential>>().toEqualTypeOf<UserCaller>();
    expectTypeOf<CallerOf<typeof member>>().toEqualTypeOf<Caller>();
    expectTypeOf(peopleOnly(admin).authorize).returns.toEqualTypeOf<Caller<BySession>>();
    expectTypeOf<Caller["workspaceId"]>().toEqualTypeOf<ObjectId>();
    expectTypeOf<Caller["role"]>().toEqualTypeOf<Role>();
    expectTypeOf<UserCaller>().not.toHaveProperty("workspaceId");
    expectTypeOf<UserCaller>().not.toHaveProperty("role");
  });
});

type CallerOf<A extends Access> = ReturnType<A["authorize"]>;

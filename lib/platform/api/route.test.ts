import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { route } from "@/lib/features/accounts/route";
import type { BySession, Caller, UserCaller } from "@/lib/platform/access/caller";
import { account, admin, anyCredential, member, open, peopleOnly } from "@/lib/platform/access/rules";

const words = { summary: "A test", tag: "Tests" };

/** Type checks: the compiler evaluates them. */
describe("the input of a handler", () => {
  it("has the caller of the declared access rule", () => {
    route({ ...words, access: open, handle: ({ caller }) => expectTypeOf(caller).toEqualTypeOf<null>() });
    route({
      ...words,
      access: account,
      handle: ({ caller }) => expectTypeOf(caller).toEqualTypeOf<UserCaller<BySession>>(),
    });
    route({
      ...words,
      access: anyCredential,
      handle: ({ caller }) => expectTypeOf(caller).toEqualTypeOf<UserCaller>(),
    });
    route({ ...words, access: member, handle: ({ caller }) => expectTypeOf(caller).toEqualTypeOf<Caller>() });
    route({
      ...words,
      access: peopleOnly(admin),
      handle: ({ caller }) => expectTypeOf(caller).toEqualTypeOf<Caller<BySession>>(),
    });
  });

  it("cannot act in a workspace if the route declares too little access", () => {
    const acts = (caller: Caller) => caller.workspaceId;
    // @ts-expect-error no caller
    route({ ...words, access: open, handle: ({ caller }) => acts(caller) });
    // @ts-expect-error a user without a workspace
    route({ ...words, access: account, handle: ({ caller }) => acts(caller) });
    route({ ...words, access: member, handle: ({ caller }) => acts(caller) });
  });

  it("has the types of its schemas, and nothing without a schema", () => {
    route({
      ...words,
      access: open,
      params: z.object({ id: z.string().transform(Number) }),
      handle: ({ params, query, body }) => {
        expectTypeOf(params).toEqualTypeOf<{ id: number }>();
        expectTypeOf(query).toEqualTypeOf<undefined>();
        expectTypeOf(body).toEqualTypeOf<undefined>();
      },
    });
  });
});

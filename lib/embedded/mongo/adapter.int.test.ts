import { MongoDBAdapter } from "@auth/mongodb-adapter";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestStore, type TestStore } from "./testing/start.ts";

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

test("next-auth's own adapter works on the store: users, accounts, sessions and tokens", async () => {
  const adapter = MongoDBAdapter(store.client, { databaseName: "auth" });
  const user = await adapter.createUser?.({ id: "", email: "ada@example.com", emailVerified: null, name: "Ada" });
  const userId = user?.id ?? "";
  expect(await adapter.getUserByEmail?.("ada@example.com")).toMatchObject({ id: userId, name: "Ada" });
  await adapter.linkAccount?.({ userId, type: "oauth", provider: "github", providerAccountId: "42" });
  expect(await adapter.getUserByAccount?.({ provider: "github", providerAccountId: "42" })).toMatchObject({
    id: userId,
  });
  const expires = new Date(Date.now() + 60_000);
  await adapter.createSession?.({ sessionToken: "hashed", userId, expires });
  expect(await adapter.getSessionAndUser?.("hashed")).toMatchObject({
    session: { userId, expires },
    user: { id: userId },
  });
  await adapter.updateUser?.({ id: userId, name: "Ada L." });
  expect(await adapter.getUser?.(userId)).toMatchObject({ name: "Ada L.", email: "ada@example.com" });
  await adapter.createVerificationToken?.({ identifier: "ada@example.com", token: "t", expires });
  expect(await adapter.useVerificationToken?.({ identifier: "ada@example.com", token: "t" })).toMatchObject({
    token: "t",
  });
  expect(await adapter.useVerificationToken?.({ identifier: "ada@example.com", token: "t" })).toBeNull();
  await adapter.deleteSession?.("hashed");
  expect(await adapter.getSessionAndUser?.("hashed")).toBeNull();
  await adapter.deleteUser?.(userId);
  expect(await adapter.getUser?.(userId)).toBeNull();
});

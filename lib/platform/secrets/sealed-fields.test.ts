import { expect, test } from "vitest";
import { seal } from "./seal";
import { sealedPathsIn } from "./sealed-fields";

test("finds encrypted values at any depth, and nothing else", () => {
  const sealed = seal("x", { workspaceId: "w", recordId: "r", field: "f" }, [{ id: "k", key: Buffer.alloc(32) }]);
  const config = {
    host: "v1:x",
    password: sealed,
    auth: { kind: "bearer", token: sealed },
    list: [1, sealed],
    gone: null,
  };
  expect(sealedPathsIn(config, "config")).toEqual(["config.password", "config.auth.token", "config.list.1"]);
});

test("skips a field name with a dot, which no update could address", () => {
  const sealed = seal("x", { workspaceId: "w", recordId: "r", field: "f" }, [{ id: "k", key: Buffer.alloc(32) }]);
  expect(sealedPathsIn({ "a.b": sealed }, "config")).toEqual([]);
});

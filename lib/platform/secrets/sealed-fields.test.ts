import { expect, test } from "vitest";
import { seal } from "./seal";
import { sealedPathsIn } from "./sealed-fields";

test("sealed values are found at any depth, and nothing else is taken for one", () => {
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

test("a name with a dot, which no update could name, is left alone", () => {
  const sealed = seal("x", { workspaceId: "w", recordId: "r", field: "f" }, [{ id: "k", key: Buffer.alloc(32) }]);
  expect(sealedPathsIn({ "a.b": sealed }, "config")).toEqual([]);
});

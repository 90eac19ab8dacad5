import { expect, it } from "vitest";
import { EngineClient } from "./client";

const REQUEST = { type: "execute", query: "select 1", readOnly: true, timeoutMs: 1000, cellBytesMax: null } as const;

it("who stops waiting for an engine that is still starting is let go at once, and closing waits for nobody", async () => {
  const client = new EngineClient(() => new Promise(() => {}));
  const stop = new AbortController();
  const asked = [client.execute(REQUEST, stop.signal), client.ask({ type: "entities" }, stop.signal)];
  stop.abort(new Error("gone"));
  for (const each of asked) await expect(each).rejects.toThrow("gone");
  await client.close();
});

it("nothing is begun for who had left before", async () => {
  const stop = new AbortController();
  stop.abort(new Error("gone"));
  const client = new EngineClient(() => Promise.resolve("/nowhere/at.all"));
  await expect(client.execute(REQUEST, stop.signal)).rejects.toThrow("gone");
});

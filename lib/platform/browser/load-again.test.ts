// @module-tag heavy
import { afterEach, describe, expect, it, vi } from "vitest";
import { readConnectivity, reportReachable, reportUnreachable } from "./connectivity";
import { later, loadAgain, loadAhead } from "./load-again";
import { isOutdated } from "./page-age";
import { ping } from "./ping";

vi.mock("./ping", () => ({ ping: vi.fn() }));

afterEach(() => {
  vi.restoreAllMocks();
  reportReachable();
});

const missing = () => Object.assign(new Error("Failed to load chunk"), { name: "ChunkLoadError" });

describe("a lazy part of the page", () => {
  it("is loaded when an unreachable server is back", async () => {
    vi.mocked(ping).mockRejectedValue(new TypeError("no way"));
    const load = vi.fn().mockRejectedValueOnce(missing()).mockResolvedValue("part");
    const loaded = loadAgain(load);
    await vi.waitFor(() => expect(readConnectivity().isOnline).toBe(false));
    expect(load).toHaveBeenCalledTimes(1);
    vi.mocked(ping).mockResolvedValue();
    reportReachable();
    await expect(loaded).resolves.toBe("part");
  });

  it("marks the page as outdated after three tries if the reachable server lacks it", async () => {
    vi.mocked(ping).mockResolvedValue();
    const load = vi.fn().mockImplementation(async () => {
      throw missing();
    });
    const settled = vi.fn();
    void loadAgain(load).then(settled, settled);
    await vi.waitFor(() => expect(isOutdated.getState()).toBe(true), { timeout: 10_000 });
    expect(load).toHaveBeenCalledTimes(3);
    expect(settled).not.toHaveBeenCalled();
    expect(readConnectivity().isOnline).toBe(true);
  });

  it("is preloaded once, with its own imports", async () => {
    const inner = vi.fn().mockResolvedValue("inner");
    const broken = vi.fn().mockRejectedValue(new SyntaxError("broken"));
    const outer = vi.fn().mockImplementation(async () => {
      later(inner);
      return "outer";
    });
    later(broken);
    later(outer);
    await loadAhead(new AbortController().signal);
    await loadAhead(new AbortController().signal);
    for (const load of [broken, outer, inner]) expect(load).toHaveBeenCalledTimes(1);
  });

  it("is not preloaded while the server is unreachable", async () => {
    reportUnreachable();
    const load = vi.fn().mockResolvedValue("part");
    later(load);
    const stop = new AbortController();
    const ahead = loadAhead(stop.signal);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(load).not.toHaveBeenCalled();
    reportReachable();
    await ahead;
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("fails at once if the code itself is broken", async () => {
    const load = vi.fn().mockRejectedValue(new SyntaxError("broken"));
    await expect(loadAgain(load)).rejects.toThrow("broken");
    expect(load).toHaveBeenCalledTimes(1);
  });
});

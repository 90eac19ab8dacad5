import { afterEach, describe, expect, it, vi } from "vitest";
import { api } from "./api";
import { readConnectivity, reportReachable } from "./connectivity";
import { loadAgain } from "./load-again";

afterEach(() => {
  vi.restoreAllMocks();
  reportReachable();
});

const missing = () => Object.assign(new Error("Failed to load chunk"), { name: "ChunkLoadError" });

describe("a part of the page", () => {
  it("that does not come while the server is away is loaded when it is back", async () => {
    const ping = vi.spyOn(api, "ping").mockRejectedValue(new TypeError("no way"));
    const load = vi.fn().mockRejectedValueOnce(missing()).mockResolvedValue("part");
    const loaded = loadAgain(load);
    await vi.waitFor(() => expect(readConnectivity().isOnline).toBe(false));
    expect(load).toHaveBeenCalledTimes(1);
    ping.mockResolvedValue();
    reportReachable();
    await expect(loaded).resolves.toBe("part");
  });

  it("that a server which answers does not have is given up after three tries", async () => {
    vi.spyOn(api, "ping").mockResolvedValue();
    const load = vi.fn().mockImplementation(async () => {
      throw missing();
    });
    await expect(loadAgain(load)).rejects.toMatchObject({ name: "ChunkLoadError" });
    expect(load).toHaveBeenCalledTimes(3);
    expect(readConnectivity().isOnline).toBe(true);
  });

  it("that is broken itself fails at once", async () => {
    const load = vi.fn().mockRejectedValue(new SyntaxError("broken"));
    await expect(loadAgain(load)).rejects.toThrow("broken");
    expect(load).toHaveBeenCalledTimes(1);
  });
});

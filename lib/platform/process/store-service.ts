import { childEntry } from "./entries.ts";
import { absolutePath, ensureSocketFolder } from "./paths.ts";
import { ensureService, type Service } from "./service.ts";
import { storeSocketPath } from "./store-uri.ts";

type StoreOptions = { dataDir: string; durability: "normal" | "full" };

/** Supervises the embedded store of a data folder: joins a running one, or starts it. */
export function ensureStoreService({ dataDir, durability }: StoreOptions): Service {
  ensureSocketFolder();
  const socketPath = storeSocketPath(dataDir);
  return ensureService({
    name: "embedded store",
    entry: childEntry("store"),
    args: ["--data", absolutePath(dataDir), "--socket", socketPath, "--durability", durability],
    socketPath,
  });
}

import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureStoreService } from "@/lib/platform/process/store-service";
import { storeUri } from "@/lib/platform/process/store-uri";
import { bundleChildren } from "../scripts/build.mjs";
import { SAMPLE_LAST_DAY } from "./fixtures/connections/sample-day";
import { ordinaryUser } from "./servers/ordinary-user";

const START_TIMEOUT_MS = 20_000;
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Provides a store for the integration tests: the embedded one in a new folder, or the local server at MONGODB_URI. A
 * remote server is refused, since tests drop databases.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // The other project of the same run has provided it.
  if (process.env.DATABASE_TEMPLATES) return undefined;
  const dataDir = mkdtempSync(join(tmpdir(), "millrace-int-"));
  process.env.DATA_DIR = dataDir;
  process.env.SAMPLE_DATA ??= SAMPLE_LAST_DAY;
  process.env.AUTH_SECRET = "a-secret-of-the-tests-which-guards-nothing";
  process.env.ENCRYPTION_KEYS = `test:${Buffer.alloc(32, 1).toString("base64")}`;
  const templates = mkdtempSync(join(tmpdir(), "millrace-templates-"));
  const user = ordinaryUser();
  if (user) chownSync(templates, user.uid, user.gid);
  process.env.DATABASE_TEMPLATES = templates;
  const children = join("node_modules", ".cache", `children-${process.pid}`);
  await bundleChildren(children);
  process.env.CHILD_BUNDLES = children;
  const removeData = () => {
    for (const folder of [dataDir, templates, children]) rmSync(folder, { recursive: true, force: true });
  };
  if (process.env.MONGODB_URI) {
    assertLocal(process.env.MONGODB_URI);
    return async () => removeData();
  }
  const store = ensureStoreService({ dataDir, durability: "normal" });
  await store.whenUp(START_TIMEOUT_MS);
  process.env.MONGODB_URI = storeUri(dataDir);
  return async () => {
    await store.stop();
    removeData();
  };
}

export function assertLocal(uri: string): void {
  const hosts = /^mongodb:\/\/(?:[^@/]*@)?([^/?]+)/.exec(uri)?.[1]?.split(",") ?? [];
  const isLocal = (host: string) => host.endsWith(".sock") || LOCAL_HOSTS.includes(host.replace(/:\d+$/, ""));
  if (hosts.length === 0 || !hosts.every(isLocal)) {
    throw new Error("Integration tests drop databases: MONGODB_URI has to name a server on this machine.");
  }
}

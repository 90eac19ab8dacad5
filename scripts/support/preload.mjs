import { join } from "node:path";
import { readPrecompressed } from "../../lib/platform/http/precompressed.ts";
import { limitServers } from "../../lib/platform/http/server-limits.ts";
import { BUILT } from "./build-stamp.mjs";

/** Loaded by the server's process before anything else. */
limitServers(readPrecompressed(join(BUILT, "static"), "/_next/static/"));

import { limitServers } from "../../lib/http/server-limits.ts";

/** Loaded by the server's process before anything else. */
limitServers();

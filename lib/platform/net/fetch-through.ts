import "server-only";
import { fetch as undiciFetch } from "undici";
import { sharedState } from "@/lib/platform/process/shared-state";
import type { Purpose } from "./address";
import { guardedAgent } from "./dispatcher";
import { toConnectionFailure } from "./failures";
import { parseWebTarget } from "./host";
import { type EgressPolicy, systemPolicy } from "./policy";

/**
 * A `fetch` for libraries that take one and stream its answer, such as the model providers': the door judges each
 * connection, redirects come back as 3xx, and time and size are the library's to limit. For everything else use
 * `safeFetch`.
 * Our choice: it takes an address, not a Request, which no such library sends and whose body would be lost.
 */
export function fetchThrough(purpose: Purpose, policy?: EgressPolicy): typeof fetch {
  const agent = policy ? guardedAgent(purpose, policy) : sharedAgent(purpose);
  const guarded = async (address: string | URL, init?: RequestInit): Promise<Response> => {
    const { url } = parseWebTarget(String(address));
    try {
      const response = await undiciFetch(url, { ...(init as object), redirect: "manual", dispatcher: agent });
      return response as unknown as Response;
    } catch (error) {
      if (init?.signal?.aborted) throw error;
      throw toConnectionFailure(error);
    }
  };
  return guarded as typeof fetch;
}

/** One pool of connections for all that goes to the same purpose. */
export function sharedAgent(purpose: Purpose) {
  return sharedState(`net.agent.${purpose}`, () => guardedAgent(purpose, systemPolicy()));
}

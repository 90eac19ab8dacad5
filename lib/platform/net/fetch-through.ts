import "server-only";
import { fetch as undiciFetch } from "undici";
import { serverMember } from "@/lib/platform/process/server-context";
import type { Purpose } from "./address";
import { guardedAgent } from "./dispatcher";
import { toConnectionFailure } from "./failures";
import { parseWebTarget } from "./host";
import { type EgressPolicy, systemPolicy } from "./policy";

/**
 * Returns a `fetch` for libraries that take one and stream its response, such as the model providers'. The egress proxy
 * checks each connection, redirects are returned as 3xx, and the library limits time and size. Use `safeFetch` for
 * everything else.
 * It takes an address and no Request: no such library sends one, and its body would be lost.
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

const egressAgents = serverMember("egressAgents", () => new Map());

/** Returns the connection pool that all requests of a purpose share. */
export function sharedAgent(purpose: Purpose) {
  const agents = egressAgents();
  const agent = agents.get(purpose) ?? guardedAgent(purpose, systemPolicy());
  agents.set(purpose, agent);
  return agent;
}

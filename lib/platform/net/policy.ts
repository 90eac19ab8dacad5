import "server-only";
import { env } from "@/lib/platform/env";
import type { PrivateNetworkMode } from "./address";
import { type OwnEndpoint, ownEndpoints } from "./own-endpoints";
import { type Resolver, resolveBySystem } from "./resolver";

/** Inputs of the egress checks. Tests use a custom policy; the product always uses `systemPolicy()`. */
export type EgressPolicy = {
  mode: PrivateNetworkMode;
  resolve: Resolver;
  /** The platform's own services, refused in every mode (T38). */
  ownEndpoints: () => Promise<OwnEndpoint[]>;
};

export function systemPolicy(): EgressPolicy {
  return { mode: env().privateNetwork, resolve: resolveBySystem, ownEndpoints };
}

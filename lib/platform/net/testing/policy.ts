import type { PrivateNetworkMode } from "@/lib/platform/net/address";
import type { OwnEndpoint } from "@/lib/platform/net/own-endpoints";
import type { EgressPolicy } from "@/lib/platform/net/policy";

export type TestPolicy = EgressPolicy & { lookups: string[] };

type TestPolicyOptions = {
  /** The answers of a name, one list a look-up; the last list is repeated. */
  names?: Record<string, string[][]>;
  own?: OwnEndpoint[];
};

/** A policy without a network: names answer what the test says, and each look-up is written down. */
export function testPolicy(mode: PrivateNetworkMode, { names = {}, own = [] }: TestPolicyOptions = {}): TestPolicy {
  const lookups: string[] = [];
  return {
    mode,
    lookups,
    resolve: async (host) => {
      const answers = names[host];
      const answer = answers?.[Math.min(lookups.filter((name) => name === host).length, answers.length - 1)];
      lookups.push(host);
      if (!answer) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" });
      return answer;
    },
    ownEndpoints: async () => own,
  };
}

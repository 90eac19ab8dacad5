"use client";

import { OneTimeValues, useOneTimeValue } from "@/components/ui/one-time-value";
import type { CreatedApiKey } from "@/lib/features/workspaces/browser/client";

type NewSecret = { ruleId: string; name: string; secret: string };

const keys = new OneTimeValues<CreatedApiKey>();
const secrets = new OneTimeValues<NewSecret>();

export function useNewKey(workspaceId: string): CreatedApiKey | null {
  return useOneTimeValue(keys, workspaceId);
}

/** @param made null once it is saved */
export function keepNewKey(workspaceId: string, made: CreatedApiKey | null): void {
  keys.hold(workspaceId, made);
}

/** Returns the signing secret of a webhook's rule. */
export function useNewSecret(workspaceId: string): NewSecret | null {
  return useOneTimeValue(secrets, workspaceId);
}

/** @param made null once it is saved */
export function keepNewSecret(workspaceId: string, made: NewSecret | null): void {
  secrets.hold(workspaceId, made);
}

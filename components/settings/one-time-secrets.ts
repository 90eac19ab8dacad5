"use client";

import { createOneTimeValues, keepOneTimeValue, useOneTimeValue } from "@/components/ui/one-time-value";
import type { CreatedApiKey } from "@/lib/features/accounts/api-key-schema";

type NewSecret = { ruleId: string; name: string; secret: string };

const keys = createOneTimeValues<CreatedApiKey>();
const secrets = createOneTimeValues<NewSecret>();

export function useNewKey(workspaceId: string): CreatedApiKey | null {
  return useOneTimeValue(keys, workspaceId);
}

/** @param made null once it is saved */
export function keepNewKey(workspaceId: string, made: CreatedApiKey | null): void {
  keepOneTimeValue(keys, workspaceId, made);
}

/** Returns the signing secret of a webhook's rule. */
export function useNewSecret(workspaceId: string): NewSecret | null {
  return useOneTimeValue(secrets, workspaceId);
}

/** @param made null once it is saved */
export function keepNewSecret(workspaceId: string, made: NewSecret | null): void {
  keepOneTimeValue(secrets, workspaceId, made);
}

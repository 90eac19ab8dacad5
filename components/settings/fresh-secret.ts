"use client";

import { Fresh, useFresh } from "@/components/ui/fresh";
import type { CreatedApiKey } from "@/lib/features/workspaces/browser/client";

type FreshSecret = { ruleId: string; name: string; secret: string };

const keys = new Fresh<CreatedApiKey>();
const secrets = new Fresh<FreshSecret>();

export function useFreshKey(workspaceId: string): CreatedApiKey | null {
  return useFresh(keys, workspaceId);
}

/** @param made null once it is saved */
export function holdFreshKey(workspaceId: string, made: CreatedApiKey | null): void {
  keys.hold(workspaceId, made);
}

/** Returns the signing secret of a webhook's rule. */
export function useFreshSecret(workspaceId: string): FreshSecret | null {
  return useFresh(secrets, workspaceId);
}

/** @param made null once it is saved */
export function holdFreshSecret(workspaceId: string, made: FreshSecret | null): void {
  secrets.hold(workspaceId, made);
}

"use client";

import { NavFind } from "@/components/layout/nav-find";
import { useWorkspace } from "@/components/layout/workspace-context";

/** Searches connections by a part of their name or kind. */
export function ConnectionSearch() {
  const { workspace } = useWorkspace();
  return <NavFind label="Search connections" root={`/w/${workspace.slug}/connections`} />;
}

"use client";

import { useWorkspace } from "@/components/layout/workspace-context";
import { CannotOpen } from "@/components/ui/cannot-open";

/** What stands in the frame at an address of the workspace that leads nowhere. */
export function UnknownPlace() {
  const { workspace } = useWorkspace();
  return <CannotOpen what="page" back={{ href: `/w/${workspace.slug}`, label: "Back to consoles" }} />;
}

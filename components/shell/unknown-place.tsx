"use client";

import { CannotOpen } from "@/components/ui/cannot-open";
import { useWorkspace } from "@/components/workspace/workspace-context";

/** What stands in the frame at an address of the workspace that leads nowhere. */
export function UnknownPlace() {
  const { workspace } = useWorkspace();
  return <CannotOpen what="page" back={{ href: `/w/${workspace.slug}`, label: "Back to consoles" }} />;
}

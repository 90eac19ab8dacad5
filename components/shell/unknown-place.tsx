"use client";

import { useWorkspace } from "@/components/layout/workspace-context";
import { CannotOpen } from "@/components/ui/cannot-open";

/** Shown in the frame for an unknown address of the workspace. */
export function UnknownPlace() {
  const { workspace } = useWorkspace();
  return <CannotOpen what="page" back={{ href: `/w/${workspace.slug}`, label: "Back to consoles" }} />;
}

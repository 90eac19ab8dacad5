"use client";

import { CircleX, Pause, Waves, Workflow } from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import { RunList } from "@/components/flows/run-list";
import { isShown, type Show, toShow } from "@/components/flows/show";
import { useFlows } from "@/components/flows/use-flows";
import { NavFind } from "@/components/layout/nav-find";
import { NavList } from "@/components/layout/nav-list";
import { useWorkspace } from "@/components/layout/workspace-context";

const PARTS: { show: Show; name: string; icon: React.ReactNode }[] = [
  { show: "all", name: "All flows", icon: <Workflow /> },
  { show: "moving", name: "Running", icon: <Waves /> },
  { show: "problems", name: "Failed", icon: <CircleX /> },
  { show: "paused", name: "Paused", icon: <Pause /> },
];

/**
 * Explorer that searches and filters the list of flows through the address. On the pages of one flow it also lists its
 * runs.
 */
export function FlowsExplorer() {
  const { workspace } = useWorkspace();
  const path = usePathname();
  const query = useSearchParams();
  const { data } = useFlows();
  const root = `/w/${workspace.slug}/flows`;
  const show = toShow(query.get("show"));
  const flowId = /^[0-9a-f]{24}$/.exec(path.slice(root.length + 1).split("/")[0] ?? "")?.[0] ?? null;
  return (
    <nav className="nav-box" aria-label="Flows">
      <NavFind label="Search flows" root={root} />
      <NavList
        label="Filter by status"
        items={PARTS.map((part) => ({
          name: part.name,
          icon: part.icon,
          href: part.show === "all" ? root : `${root}?show=${part.show}`,
          isOn: flowId === null && (path === root ? show === part.show : part.show === "all"),
          count: data?.filter((each) => isShown(each, part.show, "")).length,
        }))}
      />
      {flowId !== null && <RunList key={flowId} flowId={flowId} />}
    </nav>
  );
}

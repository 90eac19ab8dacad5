"use client";

import { CircleX, Database, SquareTerminal, Workflow } from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import { ConnectionSearch } from "@/components/connections/connection-search";
import { isShown, type Show, toShow } from "@/components/connections/show";
import { NavList } from "@/components/workspace/nav-list";
import { useConnections } from "@/components/workspace/use-schema";
import { useWorkspace } from "@/components/workspace/workspace-context";

const PARTS: { show: Show; name: string; icon: React.ReactNode }[] = [
  { show: "all", name: "All connections", icon: <Database /> },
  { show: "databases", name: "Can be queried", icon: <SquareTerminal /> },
  { show: "sources", name: "Read by flows only", icon: <Workflow /> },
  { show: "failing", name: "Failing", icon: <CircleX /> },
];

/** Finds a connection, and shows a part of the list. Both stand in the address. */
export function ConnectionsExplorer() {
  const { workspace } = useWorkspace();
  const path = usePathname();
  const query = useSearchParams();
  const { data } = useConnections();
  const root = `/w/${workspace.slug}/connections`;
  const show = toShow(query.get("show"));
  const countOf = (part: Show) => data?.filter((each) => isShown(each, part, "")).length;
  // Where nothing is for flows alone, there is nothing to choose by it.
  const parts = PARTS.filter((part) => part.show !== "sources" || show === "sources" || Boolean(countOf("sources")));

  return (
    <nav className="nav-box" aria-label="Connections">
      <ConnectionSearch />
      <NavList
        label="Parts of the list"
        items={parts.map((part) => ({
          name: part.name,
          icon: part.icon,
          href: part.show === "all" ? root : `${root}?show=${part.show}`,
          isOn: path === root ? show === part.show : part.show === "all",
          count: countOf(part.show),
        }))}
      />
    </nav>
  );
}

"use client";

import { CircleX, Database, Search, SquareTerminal, Workflow } from "lucide-react";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { isShown, type Show, toShow } from "@/components/connections/show";
import { useConnections } from "@/components/schema/use-schema";
import { useWorkspace } from "@/components/shell/workspace-context";
import { NavList } from "@/components/ui/nav-list";

const PARTS: { show: Show; name: string; icon: React.ReactNode }[] = [
  { show: "all", name: "All connections", icon: <Database /> },
  { show: "databases", name: "Can be queried", icon: <SquareTerminal /> },
  { show: "sources", name: "Read by flows only", icon: <Workflow /> },
  { show: "failing", name: "Failing", icon: <CircleX /> },
];

/** Finds a connection, and shows a part of the list. Both stand in the address. */
export function ConnectionsExplorer() {
  const { workspace } = useWorkspace();
  const router = useRouter();
  const path = usePathname();
  const query = useSearchParams();
  const { data } = useConnections();
  const root = `/w/${workspace.slug}/connections`;
  const search = path === root ? (query.get("q") ?? "") : "";
  const show = toShow(query.get("show"));

  const find = (text: string) => {
    const next = new URLSearchParams(path === root ? query : undefined);
    if (text === "") next.delete("q");
    else next.set("q", text);
    const address = next.size === 0 ? root : `${root}?${next}`;
    // Each letter is not a step to go back through.
    if (path === root) window.history.replaceState(null, "", address);
    else router.push(address);
  };

  return (
    <nav className="nav-box" aria-label="Connections">
      <div className="input quiet sm nav-find">
        <Search className="s t3" />
        <input
          type="search"
          aria-label="Find a connection"
          placeholder="Find a connection"
          value={search}
          onChange={(event) => find(event.target.value)}
        />
      </div>
      <NavList
        label="Parts of the list"
        items={PARTS.map((part) => ({
          name: part.name,
          icon: part.icon,
          href: part.show === "all" ? root : `${root}?show=${part.show}`,
          isOn: path === root ? show === part.show : part.show === "all",
          count: data?.filter((each) => isShown(each, part.show, "")).length,
        }))}
      />
    </nav>
  );
}

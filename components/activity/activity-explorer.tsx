"use client";

import {
  Activity,
  LayoutDashboard,
  Send,
  SquareTerminal,
  TextSearch,
  TriangleAlert,
  User,
  Waves,
  Workflow,
} from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import type { ReactElement } from "react";
import { KINDS } from "@/components/activity/filters";
import { SavedViews } from "@/components/activity/saved-views";
import { NavList } from "@/components/workspace/nav-list";
import { useWorkspace } from "@/components/workspace/workspace-context";
import type { ActivityKind } from "@/lib/ui/activity";

const PARTS = [
  { name: "Everything", icon: <Activity />, search: "" },
  { name: "In motion", icon: <Waves />, search: "state=motion" },
  { name: "Needs a look", icon: <TriangleAlert />, search: "state=bad" },
  { name: "Started by me", icon: <User />, search: "by=me" },
];
const ICONS: Record<ActivityKind, ReactElement> = {
  console: <SquareTerminal />,
  flow: <Workflow />,
  dashboard: <LayoutDashboard />,
  query: <TextSearch />,
  delivery: <Send />,
};

/** Parts of the activity. Which one is shown stands in the address. */
export function ActivityExplorer() {
  const { workspace } = useWorkspace();
  const path = usePathname();
  const root = `/w/${workspace.slug}/activity`;
  const query = new URLSearchParams(useSearchParams());
  // What is looked for narrows every part.
  query.delete("q");
  const shown = path === root ? query.toString() : null;
  const toItem = ({ name, icon, search }: (typeof PARTS)[number]) => ({
    name,
    icon,
    href: search === "" ? root : `${root}?${search}`,
    isOn: shown === search,
  });
  return (
    <nav className="nav-box" aria-label="Activity">
      <NavList label="Parts of the activity" items={PARTS.map(toItem)} />
      <h2 className="nav-head">Kind</h2>
      <NavList
        label="Kind"
        items={KINDS.map(({ value, name }) => toItem({ name, icon: ICONS[value], search: `kind=${value}` }))}
      />
      <SavedViews />
    </nav>
  );
}

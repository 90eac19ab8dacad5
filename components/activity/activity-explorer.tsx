"use client";

import {
  Activity,
  GitPullRequest,
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
import { useRunHours } from "@/components/activity/use-run-hours";
import { type NavItem, NavList } from "@/components/layout/nav-list";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useRunsInMotion } from "@/components/runs/use-runs-in-motion";
import { type ActivityKind, resourceTypeOf } from "@/lib/features/runs/browser/activity";
import { formatCount } from "@/lib/platform/browser/format";

const ICONS: Record<ActivityKind, ReactElement> = {
  console: <SquareTerminal />,
  flow: <Workflow />,
  dashboard: <LayoutDashboard />,
  query: <TextSearch />,
  delivery: <Send />,
};

type Part = Omit<NavItem, "href" | "isOn"> & { search: string };

/** Formats a count; an empty text for 0. */
const toCount = (count: number, words: string) =>
  count === 0 ? {} : { count, countWords: `${formatCount(count)} ${words}` };

/** Sections of the activity. The address names the one that is shown. */
export function ActivityExplorer() {
  const { workspace } = useWorkspace();
  const path = usePathname();
  const root = `/w/${workspace.slug}/activity`;
  const reviews = `/w/${workspace.slug}/reviews`;
  const query = new URLSearchParams(useSearchParams());
  // The search text applies only to its section.
  query.delete("q");
  const shown = path === root ? query.toString() : null;
  const inMotion = useRunsInMotion();
  const types = useRunHours(undefined)?.types ?? [];
  const failed = types.reduce((sum, type) => sum + type.failed, 0);
  const toItem = ({ search, ...part }: Part): NavItem => ({
    ...part,
    href: search === "" ? root : `${root}?${search}`,
    isOn: shown === search,
  });
  const parts: Part[] = [
    { name: "All activity", icon: <Activity />, search: "" },
    { name: "Running", icon: <Waves />, search: "state=motion", ...toCount(inMotion, "runs queued or running") },
    {
      name: "Needs attention",
      icon: <TriangleAlert />,
      search: "state=bad",
      ...toCount(failed, "runs failed in the last 24 hours"),
    },
    { name: "Started by me", icon: <User />, search: "by=me" },
  ];
  const kinds = KINDS.map(({ value, name }): Part => {
    const runs = types.find(({ resourceType }) => resourceType === resourceTypeOf(value))?.count ?? 0;
    return { name, icon: ICONS[value], search: `kind=${value}`, ...toCount(runs, "in the last 24 hours") };
  });
  return (
    <nav className="nav-box" aria-label="Activity">
      <NavList label="Activity views" items={parts.map(toItem)} />
      <h2 className="nav-head">Type</h2>
      <NavList label="Type" items={kinds.map(toItem)} />
      <SavedViews />
      <h2 className="nav-head">Repository</h2>
      <NavList
        label="Repository"
        items={[{ name: "Reviews", icon: <GitPullRequest />, href: reviews, isOn: path.startsWith(reviews) }]}
      />
    </nav>
  );
}

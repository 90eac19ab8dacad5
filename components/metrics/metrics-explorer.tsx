"use client";

import { CircleX, Sigma, TriangleAlert, User } from "lucide-react";
import { usePathname, useSearchParams } from "next/navigation";
import { NavFind } from "@/components/layout/nav-find";
import { NavList } from "@/components/layout/nav-list";
import { useWorkspace } from "@/components/layout/workspace-context";
import { isShown, type MetricShow, toShow } from "@/components/metrics/show";
import { useMetrics } from "@/components/metrics/use-metrics";
import { toMetricTitle } from "@/lib/features/metrics/browser/words";

const PARTS: { show: MetricShow; name: string; icon: React.ReactNode }[] = [
  { show: "all", name: "All metrics", icon: <Sigma /> },
  { show: "attention", name: "Needs attention", icon: <TriangleAlert /> },
  { show: "mine", name: "Owned by me", icon: <User /> },
];
/** More are found by search. */
const LISTED_MAX = 200;

/** Explorer that searches and filters the list of metrics through the address, and lists the metrics by file. */
export function MetricsExplorer() {
  const { workspace, user } = useWorkspace();
  const path = usePathname();
  const query = useSearchParams();
  const { data = [] } = useMetrics();
  const root = `/w/${workspace.slug}/metrics`;
  const show = toShow(query.get("show"));
  const countOf = (part: MetricShow) =>
    data.filter((file) => isShown(file, part, user.id)).reduce((sum, { metrics }) => sum + metrics.length, 0);
  const items = data
    .flatMap((file) => file.metrics.map((metric) => ({ file, metric })))
    .slice(0, LISTED_MAX)
    .map(({ file, metric }) => {
      const href = `${root}/${file.name}?metric=${encodeURIComponent(metric)}`;
      const shown = query.get("metric") ?? file.metrics[0];
      return {
        name: toMetricTitle(metric),
        icon: <Sigma />,
        href,
        isOn: path === `${root}/${file.name}` && shown === metric,
        end: file.error === null ? undefined : <CircleX className="xs bad-sign" aria-label="Broken" />,
      };
    });
  return (
    <nav className="nav-box" aria-label="Metrics">
      <NavFind label="Search metrics" root={root} />
      <NavList
        label="Filter metrics"
        items={PARTS.map((part) => ({
          name: part.name,
          icon: part.icon,
          href: part.show === "all" ? root : `${root}?show=${part.show}`,
          isOn: path === root && show === part.show,
          count: countOf(part.show),
        }))}
      />
      {items.length > 0 && (
        <>
          <h2 className="nav-head">Metrics</h2>
          <NavList label="Metrics" items={items} />
        </>
      )}
    </nav>
  );
}

"use client";

import Link from "next/link";
import { useId } from "react";
import { useAppsById } from "@/components/apps/use-apps";
import { useConsolesById } from "@/components/consoles/use-consoles";
import { useDashboardsById } from "@/components/dashboards/use-dashboards";
import { useFlowsById } from "@/components/flows/use-flows";
import { useFoldersById } from "@/components/folders/use-folders";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useFindConnection } from "@/components/schema/use-schema";

const NO_IDS: string[] = [];

/** The objects to which a plan's grants are limited. @param ids null for a plan that names none */
export function PlanTargets({ ids }: { ids: string[] | null }) {
  const labelId = useId();
  const { workspace } = useWorkspace();
  const findConnection = useFindConnection();
  const consoles = useConsolesById(ids ?? NO_IDS);
  const flows = useFlowsById(ids ?? NO_IDS);
  const dashboards = useDashboardsById(ids ?? NO_IDS);
  const apps = useAppsById(ids ?? NO_IDS);
  const folders = useFoldersById(ids ?? NO_IDS);
  if (ids === null) {
    return (
      <p className="plan-targets xs t2">
        Targets: <b className="b6">new files only</b>.
      </p>
    );
  }
  const root = `/w/${workspace.slug}`;
  const isRead =
    ids.every((id) => findConnection(id) !== undefined) &&
    !consoles.isPending &&
    !flows.isLoading &&
    !dashboards.isPending &&
    !apps.isPending &&
    !folders.isPending;
  const find = (id: string) => {
    const connection = findConnection(id);
    if (connection) return { kind: "connection", name: connection.name, href: `${root}/connections/${id}` };
    const found = consoles.data.find((each) => each.id === id);
    if (found) return { kind: "console", name: found.name, href: `${root}/consoles/${id}` };
    const dashboard = dashboards.data?.find((each) => each.id === id);
    if (dashboard) return { kind: "dashboard", name: dashboard.title, href: `${root}/dashboards/${id}` };
    const app = apps.data?.find((each) => each.id === id);
    if (app) return { kind: "app", name: app.title, href: `${root}/apps/${app.slug}` };
    const folder = folders.data.find((each) => each.id === id);
    if (folder) return { kind: "folder", name: folder.path, href: `${root}/${folder.area}` };
    const flow = flows.data?.find((each) => each.id === id);
    return flow ? { kind: "flow", name: flow.name, href: `${root}/flows/${id}` } : null;
  };
  return (
    <div className="plan-targets xs">
      <span className="t2" id={labelId}>
        Targets
      </span>
      <ul aria-labelledby={labelId}>
        {ids.map((id) => {
          const target = find(id);
          return (
            <li key={id}>
              {target ? (
                <>
                  <Link className="link" href={target.href}>
                    {target.name}
                  </Link>{" "}
                  <span className="t3">{target.kind}</span>
                </>
              ) : (
                <>
                  <span className="mono">{id}</span> {isRead && <span className="t3">not found</span>}
                </>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

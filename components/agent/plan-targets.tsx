"use client";

import Link from "next/link";
import { type ReactNode, useId } from "react";
import type { Plan } from "@/components/agent/tool-parts";
import { useAppsById } from "@/components/apps/use-apps";
import { useConsolesById } from "@/components/consoles/use-consoles";
import { useDashboardsById } from "@/components/dashboards/use-dashboards";
import { useFlowsById } from "@/components/flows/use-flows";
import { useFoldersById } from "@/components/folders/use-folders";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useFindConnection } from "@/components/schema/use-schema";
import { describeEffect } from "@/lib/features/agent/browser/effect-words";

type Resource = { kind: string; name: string; href: string };

/** Returns a function that finds resources of these IDs, null for others, and whether all have been looked up. */
function useResources(ids: string[]) {
  const { workspace } = useWorkspace();
  const findConnection = useFindConnection();
  const consoles = useConsolesById(ids);
  const flows = useFlowsById(ids);
  const dashboards = useDashboardsById(ids);
  const apps = useAppsById(ids);
  const folders = useFoldersById(ids);
  const root = `/w/${workspace.slug}`;
  const isRead =
    ids.every((id) => findConnection(id) !== undefined) &&
    !consoles.isPending &&
    !flows.isLoading &&
    !dashboards.isPending &&
    !apps.isPending &&
    !folders.isPending;
  const toResource = (kind: string, name: string, path: string): Resource => ({ kind, name, href: `${root}/${path}` });
  const find = (sent: string): Resource | null => {
    const id = sent.toLowerCase();
    const connection = findConnection(id);
    if (connection) return toResource("connection", connection.name, `connections/${id}`);
    const found = consoles.data.find((each) => each.id === id);
    if (found) return toResource("console", found.name, `consoles/${id}`);
    const dashboard = dashboards.data?.find((each) => each.id === id);
    if (dashboard) return toResource("dashboard", dashboard.title, `dashboards/${id}`);
    const app = apps.data?.find((each) => each.id === id);
    if (app) return toResource("app", app.title, `apps/${app.slug}`);
    const folder = folders.data.find((each) => each.id === id);
    if (folder) return toResource("folder", folder.path, folder.area);
    const flow = flows.data?.find((each) => each.id === id);
    return flow ? toResource("flow", flow.name, `flows/${id}`) : null;
  };
  return { find, isRead };
}

type PlanTargetsProps = Pick<Plan, "targets" | "effects">;

/** The objects to which a plan's grants are limited, and what it deletes and shares. */
export function PlanTargets({ targets, effects }: PlanTargetsProps) {
  return (
    <>
      {targets !== null && <Targets ids={targets} />}
      {effects.length > 0 && <Effects effects={effects} />}
      {targets === null && effects.length === 0 && (
        <p className="plan-targets xs t2">
          Targets: <b className="b6">new files only</b>.
        </p>
      )}
    </>
  );
}

function Effects({ effects }: Pick<Plan, "effects">) {
  const { find } = useResources(effects.flatMap(({ id }) => id ?? []));
  const words = [...new Set(effects.map((effect) => describeEffect(effect, find)))];
  return (
    <TitledList title="Effects">
      {words.map((sentence) => (
        <li key={sentence} className="b6">
          {sentence}
        </li>
      ))}
    </TitledList>
  );
}

function Targets({ ids }: { ids: string[] }) {
  const { find, isRead } = useResources(ids);
  return (
    <TitledList title="Targets">
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
    </TitledList>
  );
}

function TitledList({ title, children }: { title: string; children: ReactNode }) {
  const labelId = useId();
  return (
    <div className="plan-targets xs">
      <span className="t2" id={labelId}>
        {title}
      </span>
      <ul aria-labelledby={labelId}>{children}</ul>
    </div>
  );
}

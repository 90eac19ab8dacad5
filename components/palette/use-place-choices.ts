"use client";

import { Database, LayoutDashboard, User, Workflow } from "lucide-react";
import { useEngineName } from "@/components/connections/use-connection-types";
import { useDashboardList } from "@/components/dashboards/use-dashboards";
import { useFlows } from "@/components/flows/use-flows";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Choice, ChoiceList } from "@/components/palette/palette-choice";
import { useConnections, useDatabases } from "@/components/schema/use-schema";
import { useWorkspaceDetails } from "@/components/settings/use-settings";
import { FLOW_TYPE_WORDS } from "@/lib/features/flows/browser/flow-words";
import { toLocationText } from "@/lib/features/folders/browser/item-tree";

/** Returns the dashboards, connections, flows and members, each opened by its address. */
export function usePlaceChoices(goTo: (path: string) => void): Record<"dashboards" | "others", ChoiceList> {
  const { workspace } = useWorkspace();
  const { isLoading: areConnectionsLoading } = useConnections();
  const databases = useDatabases();
  const flowList = useFlows();
  const dashboardList = useDashboardList();
  const details = useWorkspaceDetails();
  const engineName = useEngineName();
  const root = `/w/${workspace.slug}`;
  // Only consoles have tabs here.
  const toPlace = (path: string) => ({
    open: () => goTo(path),
    openBeside: () => {
      window.open(path, "_blank", "noopener");
      return "a browser tab";
    },
  });
  const connections = databases.map(
    (database): Choice => ({
      id: database.id,
      kind: "connection",
      name: database.name,
      detail: engineName(database.type),
      icon: Database,
      ...toPlace(`${root}/connections/${database.id}`),
    }),
  );
  const flows = (flowList.data ?? []).map(
    ({ id, name, type }): Choice => ({
      id,
      kind: "flow",
      name,
      detail: FLOW_TYPE_WORDS[type],
      icon: Workflow,
      ...toPlace(`${root}/flows/${id}`),
    }),
  );
  const dashboards = (dashboardList.data ?? []).map(
    ({ id, title, path, access }): Choice => ({
      id,
      kind: "dashboard",
      name: title,
      detail: toLocationText({ path, access }),
      icon: LayoutDashboard,
      ...toPlace(`${root}/dashboards/${id}`),
    }),
  );
  const people = (details.data?.members ?? []).map(
    (member): Choice => ({
      id: member.userId,
      kind: "person",
      name: member.name || member.email,
      detail: `${member.email}, ${member.role}`,
      icon: User,
      ...toPlace(`${root}/settings/members`),
    }),
  );
  return {
    dashboards: { choices: dashboards, awaited: dashboardList.isLoading ? ["dashboard"] : [] },
    others: {
      choices: [...connections, ...flows, ...people],
      awaited: [
        ...(areConnectionsLoading ? (["connection"] as const) : []),
        ...(flowList.isLoading ? (["flow"] as const) : []),
        ...(details.isLoading ? (["person"] as const) : []),
      ],
    },
  };
}

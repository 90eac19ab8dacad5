"use client";

import { Database, LayoutDashboard, User, Workflow } from "lucide-react";
import { useEngineName } from "@/components/connections/use-connection-types";
import { useDashboardsByName, useRecentDashboards } from "@/components/dashboards/use-dashboards";
import { useFlows, useFlowsByName } from "@/components/flows/use-flows";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Choice, ChoiceList } from "@/components/palette/palette-choice";
import { useConnections, useConnectionsByName, useDatabases } from "@/components/schema/use-schema";
import { useMembers } from "@/components/settings/use-settings";
import { useLater } from "@/components/ui/use-later";
import { FLOW_TYPE_WORDS } from "@/lib/features/flows/browser/flow-words";
import { toLocationText } from "@/lib/features/folders/browser/item-tree";

/** Pause in typing before the server is asked. */
const SEARCH_AFTER_MS = 150;

/** Returns the dashboards, connections, flows and members, each opened by its address. */
export function usePlaceChoices(
  search: string,
  goTo: (path: string) => void,
): Record<"dashboards" | "others", ChoiceList> {
  const { workspace } = useWorkspace();
  const { isLoading: areConnectionsLoading } = useConnections();
  const databases = useDatabases();
  const flowList = useFlows();
  const recent = useRecentDashboards();
  const asked = useLater(search, SEARCH_AFTER_MS);
  const named = useDashboardsByName(asked);
  const namedFlows = useFlowsByName(asked);
  const namedConnections = useConnectionsByName(asked);
  const members = useMembers();
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
  const foundConnections = new Map([...databases, ...(namedConnections.data ?? [])].map((each) => [each.id, each]));
  const connections = [...foundConnections.values()].map(
    (database): Choice => ({
      id: database.id,
      kind: "connection",
      name: database.name,
      detail: engineName(database.type),
      icon: Database,
      ...toPlace(`${root}/connections/${database.id}`),
    }),
  );
  const foundFlows = new Map([...(flowList.data ?? []), ...(namedFlows.data ?? [])].map((each) => [each.id, each]));
  const flows = [...foundFlows.values()].map(
    ({ id, name, type }): Choice => ({
      id,
      kind: "flow",
      name,
      detail: FLOW_TYPE_WORDS[type],
      icon: Workflow,
      ...toPlace(`${root}/flows/${id}`),
    }),
  );
  const namedIds = new Set(named.data?.map(({ id }) => id));
  const found = new Map([...(recent.data ?? []), ...(named.data ?? [])].map((each) => [each.id, each]));
  const dashboards = [...found.values()].map(
    ({ id, title, path, access }): Choice => ({
      id,
      kind: "dashboard",
      name: title,
      detail: toLocationText({ path, access }),
      isHit: namedIds.has(id),
      icon: LayoutDashboard,
      ...toPlace(`${root}/dashboards/${id}`),
    }),
  );
  const people = (members.data ?? []).map(
    (member): Choice => ({
      id: member.userId,
      kind: "person",
      name: member.name || member.email,
      detail: `${member.email}, ${member.role}`,
      icon: User,
      ...toPlace(`${root}/settings/members`),
    }),
  );
  const isAsked = search !== "" && (search !== asked || named.isFetching);
  return {
    dashboards: { choices: dashboards, awaited: recent.isLoading || isAsked ? ["dashboard"] : [] },
    others: {
      choices: [...connections, ...flows, ...people],
      awaited: [
        ...(areConnectionsLoading || namedConnections.isFetching ? (["connection"] as const) : []),
        ...(flowList.isLoading || namedFlows.isFetching ? (["flow"] as const) : []),
        ...(members.isLoading ? (["person"] as const) : []),
      ],
    },
  };
}

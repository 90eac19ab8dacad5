"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useConsolesById, useRecentConsoles } from "@/components/consoles/use-consoles";
import { useFlows, useFlowsById } from "@/components/flows/use-flows";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { type DeliveryFilters, notificationApi, type Resource } from "@/lib/features/notifications/browser/client";

/** First part of every key of these lists: a change of one may affect all. */
export const RULES = "notification-rules";
export const DELIVERIES = "deliveries";

/** Returns all rules of the workspace, each with its last delivery. */
export function useRules() {
  const { workspace } = useWorkspace();
  return useInfiniteQuery({
    queryKey: [RULES, workspace.id],
    queryFn: ({ pageParam, signal }) => notificationApi.listRules(workspace.id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

export function useRulesOf(resource: Resource) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: [RULES, workspace.id, resource],
    queryFn: ({ signal }) => notificationApi.listRulesOf(workspace.id, resource, signal),
  });
}

/** @param isOn false loads nothing */
export function useDeliveries(filters: DeliveryFilters, isOn = true) {
  const { workspace } = useWorkspace();
  return useInfiniteQuery({
    queryKey: [DELIVERIES, workspace.id, filters],
    queryFn: ({ pageParam, signal }) => notificationApi.listDeliveries(workspace.id, filters, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: isOn,
  });
}

export function useDeliveriesOf(resource: Resource) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: [DELIVERIES, workspace.id, resource],
    queryFn: ({ signal }) => notificationApi.listDeliveriesOf(workspace.id, resource, signal),
  });
}

/** Reloads rules and deliveries when something is sent or fails. */
export function useLiveDeliveries(): void {
  const { workspace } = useWorkspace();
  useRefresh(
    [
      [DELIVERIES, workspace.id],
      [RULES, workspace.id],
    ],
    ({ kind }) => kind === "delivery",
  );
}

const NONE: Resource[] = [];

export type NamedResource = Resource & { name: string };

/**
 * Returns resources that rules may have, by name: consoles that were saved last, then flows. `nameOf` also has a text
 * for others.
 * @param named resources whose names are needed
 */
export function useResources(named: readonly Resource[] = NONE) {
  const recent = useRecentConsoles();
  const others = useConsolesById(named.map(({ resourceId }) => resourceId));
  const flows = useFlows();
  const otherFlows = useFlowsById(
    named.flatMap(({ resourceType, resourceId }) => (resourceType === "flow" ? [resourceId] : [])),
  );
  const resources: NamedResource[] = [
    ...(recent.data ?? []).map(({ id, name }) => ({
      resourceType: "scheduled_query" as const,
      resourceId: id,
      name,
    })),
    ...(flows.data ?? []).map(({ id, name }) => ({ resourceType: "flow" as const, resourceId: id, name })),
  ];
  const names = new Map([
    ...resources.map(({ resourceId, name }) => [resourceId, name] as const),
    ...[...others.data, ...(otherFlows.data ?? [])].map(({ id, name }) => [id, name] as const),
  ]);
  return {
    isPending: recent.isPending || others.isPending || flows.isPending || otherFlows.isLoading,
    resources,
    nameOf: ({ resourceType, resourceId }: Resource) =>
      names.get(resourceId) ?? (resourceType === "flow" ? "A flow" : "A console"),
  };
}

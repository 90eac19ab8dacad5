import type { z } from "zod";
import type { RuledType, Trigger } from "@/lib/features/notifications/payload-schema";
import type { createRuleBody, Delivery, DeliveryDetails, DeliveryStatus, ListedRule, Rule, SavedRule, TestAnswer, UpdateRuleBody } from "@/lib/features/notifications/schema"; // biome-ignore format: one look at the whole list
import { toQuery } from "@/lib/features/runs/browser/client";
import { send } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";

/** A console or a flow, as rules refer to it. */
export type Resource = { resourceType: RuledType; resourceId: string };
export type CreateRuleBody = z.input<typeof createRuleBody>;
export type DeliveryFilters = { status?: DeliveryStatus | null; ruleId?: string | null };

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}`;
const rules = (workspaceId: string) => `${root(workspaceId)}/notification-rules`;
/** Page size: more rules than a resource may have, and the maximum of a list. */
const PAGE = 200;

/** API client of notification rules and deliveries. Each function throws ApiError. */
export const notificationApi = {
  listRules: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<ListedRule>>("GET", `${root(workspaceId)}/notifications/rules${toQuery({ limit: PAGE, cursor })}`, {
      signal,
    }),
  listRulesOf: (workspaceId: string, resource: Resource, signal?: AbortSignal) =>
    send<Rule[]>("GET", `${rules(workspaceId)}${toQuery({ ...resource, limit: PAGE })}`, { signal }),
  /** The response has a webhook's secret, which is not shown again. */
  createRule: (workspaceId: string, body: CreateRuleBody) => send<SavedRule>("POST", rules(workspaceId), { body }),
  /** Updates only the fields that are sent. */
  updateRule: (workspaceId: string, ruleId: string, body: UpdateRuleBody) =>
    send<SavedRule>("PATCH", `${rules(workspaceId)}/${ruleId}`, { body }),
  removeRule: (workspaceId: string, ruleId: string) => send<null>("DELETE", `${rules(workspaceId)}/${ruleId}`),
  /** Sends one message now. A failed delivery is a response here, not an error. */
  test: (workspaceId: string, body: { ruleId: string; trigger: Trigger }) =>
    send<TestAnswer>("POST", `${rules(workspaceId)}/test`, { body }),

  listDeliveries: (workspaceId: string, filters: DeliveryFilters, cursor: string | null, signal?: AbortSignal) =>
    send<Page<Delivery>>("GET", `${root(workspaceId)}/notifications/deliveries${toQuery({ ...filters, cursor })}`, {
      signal,
    }),
  /** Lists the latest deliveries of one console or flow. */
  listDeliveriesOf: (workspaceId: string, resource: Resource, signal?: AbortSignal) =>
    send<Delivery[]>("GET", `${rules(workspaceId)}/deliveries${toQuery(resource)}`, { signal }),
  /** Returns a delivery with its attempts. */
  readDelivery: (workspaceId: string, deliveryId: string, signal?: AbortSignal) =>
    send<DeliveryDetails>("GET", `${rules(workspaceId)}/deliveries/${deliveryId}`, { signal }),
  /** Queues a failed delivery again. */
  resend: (workspaceId: string, deliveryId: string) =>
    send<Delivery>("POST", `${rules(workspaceId)}/deliveries/${deliveryId}/resend`, { body: {} }),
};

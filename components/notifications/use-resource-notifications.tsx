"use client";

import { type ReactNode, useState } from "react";
import { ResourceDeliveries } from "@/components/notifications/resource-deliveries";
import { ResourceRules } from "@/components/notifications/resource-rules";
import { RulePanel } from "@/components/notifications/rule-panel";
import { useLiveDeliveries, useRulesOf } from "@/components/notifications/use-notifications";
import type { Resource } from "@/lib/features/notifications/browser/client";

const NEW = "new";

type ResourceNotifications = {
  /** Notification rules of its runs. */
  rules: ReactNode;
  /** Recent deliveries. */
  deliveries: ReactNode;
  /** Panel of the open rule, for the right edge of the page; null if none is open. */
  panel: ReactNode;
};

/** Returns the notification parts of the page of one console or flow. */
export function useResourceNotifications(resource: Resource): ResourceNotifications {
  const [openId, setOpenId] = useState<string | null>(null);
  const rules = useRulesOf(resource);
  useLiveDeliveries();
  const rule = rules.data?.find(({ id }) => id === openId) ?? null;
  const isOpen = rule !== null || openId === NEW;
  return {
    rules: <ResourceRules rules={rules} openId={openId} onOpen={setOpenId} onAdd={() => setOpenId(NEW)} />,
    deliveries: <ResourceDeliveries resource={resource} rules={rules.data ?? []} />,
    panel: isOpen ? (
      <RulePanel key={openId} rule={rule} resource={resource} onShow={setOpenId} onClose={() => setOpenId(null)} />
    ) : null,
  };
}

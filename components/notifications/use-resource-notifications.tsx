"use client";

import { type ReactNode, useState } from "react";
import { ResourceDeliveries } from "@/components/notifications/resource-deliveries";
import { ResourceRules } from "@/components/notifications/resource-rules";
import { RulePanel } from "@/components/notifications/rule-panel";
import { useLiveDeliveries, useRulesOf } from "@/components/notifications/use-notifications";
import type { Resource } from "@/lib/features/notifications/browser/client";

const NEW = "new";

type ResourceNotifications = {
  /** Whom the end of its runs is told. */
  rules: ReactNode;
  /** What was told lately. */
  deliveries: ReactNode;
  /** The rule that is open, for the right edge of the page; null while none is. */
  panel: ReactNode;
};

/** The parts that notifications have on the page of one console or flow, each for its place there. */
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

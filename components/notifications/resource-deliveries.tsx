"use client";

import Link from "next/link";
import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { DeliveryLog } from "@/components/notifications/delivery-log";
import { toChannelWord, toRuleName } from "@/components/notifications/rule-words";
import { useDeliveriesOf } from "@/components/notifications/use-notifications";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Segments } from "@/components/ui/segments";
import type { Resource } from "@/lib/features/notifications/browser/client";
import type { Rule } from "@/lib/features/notifications/schema";
import "./notifications.css";

const SHOWS = [
  { value: "all", label: "All" },
  { value: "problems", label: "Failed" },
] as const;

/** Recent deliveries about the runs of one console or flow. */
export function ResourceDeliveries({ resource, rules }: { resource: Resource; rules: Rule[] }) {
  const { workspace } = useWorkspace();
  const deliveries = useDeliveriesOf(resource);
  const [show, setShow] = useState<(typeof SHOWS)[number]["value"]>("all");
  const [openId, setOpenId] = useState<string | null>(null);
  const names = new Map(rules.map((rule) => [rule.id, toRuleName(rule)]));
  const all = deliveries.data ?? [];
  const shown = show === "all" ? all : all.filter(({ status }) => status === "failed" || status === "retrying");
  return (
    <section className="card told-card" aria-label="Delivery log">
      <div className="row between card-head">
        <h2 className="sh">Delivery log</h2>
        {all.length > 0 && <Segments label="Filter deliveries" value={show} options={SHOWS} onChange={setShow} />}
      </div>
      {deliveries.isPending && <ListSkeleton label="Loading deliveries" rows={2} rowPx={36} />}
      {deliveries.isError && !deliveries.data && (
        <LoadFailure error={deliveries.error} onRetry={() => deliveries.refetch()} />
      )}
      {deliveries.data && shown.length === 0 && (
        <p className="t2 card-none">
          {show === "all" ? "No deliveries yet. Deliveries are kept for 30 days." : "No failed deliveries."}
        </p>
      )}
      {shown.length > 0 && (
        <>
          <DeliveryLog
            deliveries={shown}
            nameOf={(each) => names.get(each.ruleId) ?? toChannelWord(each.channelType)}
            hasResource={false}
            openId={openId}
            onOpen={setOpenId}
          />
          <Link className="xs card-link" href={`/w/${workspace.slug}/settings/notifications`}>
            All deliveries
          </Link>
        </>
      )}
    </section>
  );
}

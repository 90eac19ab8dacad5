"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronRight } from "lucide-react";
import { Fragment } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { viewOf } from "@/components/notifications/channels/registry";
import { ChannelIcon, toChannelWord } from "@/components/notifications/rule-words";
import { DELIVERIES } from "@/components/notifications/use-notifications";
import { StatusWord } from "@/components/runs/status-word";
import { useChange, useRights } from "@/components/settings/use-settings";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ACTIONS, ListTable } from "@/components/ui/list-table";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { notificationApi } from "@/lib/features/notifications/browser/client";
import { toDeliveryAdvice } from "@/lib/features/notifications/browser/delivery-words";
import type { Delivery } from "@/lib/features/notifications/schema";
import { formatRowTime } from "@/lib/features/runs/browser/run-words";
import { formatClock, formatDuration } from "@/lib/platform/browser/format";
import { formatStamp } from "@/lib/platform/browser/format-time";
import "./notifications.css";

const HEADS = [
  "Status",
  "To",
  "Trigger",
  "Queued",
  { name: "Attempts", isNumber: true },
  { name: "HTTP", isNumber: true },
  ACTIONS,
];

const COLUMNS = 7;

type DeliveryLogProps = {
  deliveries: Delivery[];
  /** Returns the name of a delivery's destination, from its rule; from its channel if the rule is deleted. */
  nameOf: (delivery: Delivery) => string;
  /** True if the list covers several resources, so that their names matter. */
  hasResource: boolean;
  openId: string | null;
  onOpen: (id: string | null) => void;
};

/** True if the list covers several resources, so that their names matter. */
export function DeliveryLog({ deliveries, nameOf, hasResource, openId, onOpen }: DeliveryLogProps) {
  return (
    <ListTable label="Deliveries" className="deliveries" columns={HEADS}>
      <tbody>
        {deliveries.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            name={nameOf(delivery)}
            hasResource={hasResource}
            isOpen={delivery.id === openId}
            onToggle={() => onOpen(delivery.id === openId ? null : delivery.id)}
          />
        ))}
      </tbody>
    </ListTable>
  );
}

type RowProps = { delivery: Delivery; name: string; hasResource: boolean; isOpen: boolean; onToggle: () => void };

function DeliveryRow({ delivery, name, hasResource, isOpen, onToggle }: RowProps) {
  const { workspace } = useWorkspace();
  const { isAdmin } = useRights();
  const at = new Date(delivery.createdAt);
  const advice = toDeliveryAdvice(delivery, viewOf(delivery.channelType).toAdvice(delivery.httpStatus));
  const resend = useChange([DELIVERIES], () => notificationApi.resend(workspace.id, delivery.id));
  const trigger = delivery.trigger === "success" ? "Success" : "Failure";
  const again = () =>
    resend.mutate(undefined, {
      onSuccess: () => announce("Queued for resend"),
      onError: (error) => showFailure(toMessage(error)),
    });
  return (
    <Fragment>
      <tr className={isOpen || advice ? "has-sub" : undefined}>
        <td>
          <StatusWord status={delivery.status} />
        </td>
        <td data-label="To" className="cut to">
          <span className="row delivery-to" title={`${toChannelWord(delivery.channelType)}: ${name}`}>
            <ChannelIcon type={delivery.channelType} />
            <span className="trunc">{name}</span>
          </span>
        </td>
        <td data-label="Trigger" className={hasResource ? "t2 cut for" : "t2"}>
          {hasResource ? `${delivery.resourceName}, ${trigger.toLowerCase()}` : trigger}
        </td>
        <td data-label="Queued" className="num t2" title={formatStamp(at)}>
          {formatRowTime(at, new Date())}
        </td>
        <td data-label="Attempts" className="r">
          {delivery.attempts}
        </td>
        <td data-label="HTTP" className="r mono">
          {delivery.httpStatus}
        </td>
        <td className="r">
          <span className="acts">
            {delivery.status === "failed" && isAdmin && (
              <button
                type="button"
                className="btn ghost sm"
                aria-disabled={resend.isPending}
                onClick={() => !resend.isPending && again()}
              >
                Resend
              </button>
            )}
            <button
              type="button"
              className="btn ghost icon sm"
              aria-expanded={isOpen}
              aria-label={`Attempts to ${name}, ${formatRowTime(at, new Date())}`}
              onClick={onToggle}
            >
              {isOpen ? <ChevronDown /> : <ChevronRight />}
            </button>
          </span>
        </td>
      </tr>
      {(isOpen || advice) && (
        <tr className="sub">
          <td colSpan={COLUMNS} className="wrap">
            {advice && (
              <p className={delivery.status === "failed" ? "xs delivery-why bad" : "xs delivery-why"}>{advice}</p>
            )}
            {isOpen && <Attempts delivery={delivery} />}
          </td>
        </tr>
      )}
    </Fragment>
  );
}

function Attempts({ delivery }: { delivery: Delivery }) {
  const { workspace } = useWorkspace();
  const details = useQuery({
    // The key includes the listed status and attempts, so that a new attempt is loaded immediately.
    queryKey: [DELIVERIES, workspace.id, "one", delivery.id, delivery.status, delivery.attempts],
    queryFn: ({ signal }) => notificationApi.readDelivery(workspace.id, delivery.id, signal),
    placeholderData: (before) => before,
  });
  if (details.isPending) return <ListSkeleton label="Loading attempts" rows={1} rowPx={24} />;
  if (!details.data) return <LoadFailure error={details.error} onRetry={() => details.refetch()} />;
  const { attemptLog, status, lastError } = details.data;
  if (attemptLog.length === 0) {
    return <p className="xs t3">{status === "skipped" ? (lastError ?? "Not sent.") : "Not sent yet."}</p>;
  }
  return (
    <ol className="attempts xs" aria-label="Attempts, newest first">
      {attemptLog.toReversed().map((attempt, index) => (
        <li key={attempt.at}>
          <span className="t3 num">{attemptLog.length - index}</span>
          <time className="num" dateTime={attempt.at} title={formatStamp(new Date(attempt.at))}>
            {formatClock(new Date(attempt.at))}
          </time>
          <b className={attempt.error === null ? "b5 good" : "b5 bad"}>
            {attempt.httpStatus ?? (attempt.error === null ? "accepted" : "none")}
          </b>
          <span className="grow">
            {attempt.error}
            {attempt.snippet && <code className="mono t2">{attempt.snippet}</code>}
          </span>
          <span className="t3 num">{attempt.durationMs === null ? "" : formatDuration(attempt.durationMs)}</span>
        </li>
      ))}
    </ol>
  );
}

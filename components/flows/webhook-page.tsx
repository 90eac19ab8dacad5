"use client";

import { useMutation } from "@tanstack/react-query";
import { Pause, Play, RefreshCw, Send, Webhook } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { ArrivalList } from "@/components/flows/arrival-list";
import { FlowTrail } from "@/components/flows/flow-trail";
import { ProvisionWebhook } from "@/components/flows/provision-webhook";
import { RunList } from "@/components/flows/run-list";
import { TryWebhook } from "@/components/flows/try-webhook";
import { useFlowActions, useMayChange } from "@/components/flows/use-flow-actions";
import { useFlow, useWebhookStats } from "@/components/flows/use-flows";
import { Page } from "@/components/layout/page";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useResourceNotifications } from "@/components/notifications/use-resource-notifications";
import { HourBars } from "@/components/runs/hour-bars";
import { useConnectionName } from "@/components/schema/use-schema";
import { SecretBanner } from "@/components/settings/secret-banner";
import { useRights } from "@/components/settings/use-settings";
import { CannotOpen } from "@/components/ui/cannot-open";
import { CopyButton } from "@/components/ui/copy-button";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { createOneTimeValues, keepOneTimeValue, useOneTimeValue } from "@/components/ui/one-time-value";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useConnectivity, useIsPhone, useNow } from "@/components/ui/use-browser";
import { useSingleMutation } from "@/components/ui/use-single-flight";
import { flowsApi } from "@/lib/features/flows/browser/client";
import type { FlowDetail, Provisioned, WebhookStats } from "@/lib/features/flows/schema";
import { formatCount } from "@/lib/platform/browser/format";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";
import { ApiError } from "@/lib/platform/browser/request";
import "./flows.css";

const AGE_EVERY_MS = 30_000;

/** Secrets of newly created endpoint URLs, by flow. */
const secrets = createOneTimeValues<Provisioned>();

/** Page of a webhook flow: its address, its secret once, and the received events. */
export function WebhookPage({ flowId }: { flowId: string }) {
  const { workspace } = useWorkspace();
  const flow = useFlow(flowId);
  const stats = useWebhookStats(flowId);
  const root = `/w/${workspace.slug}/flows`;
  const failure = flow.error ?? stats.error;
  if (flow.data && stats.data) return <Loaded flow={flow.data} stats={stats.data} root={root} />;
  if (failure instanceof ApiError && (failure.status === 404 || failure.status === 400)) {
    return <CannotOpen what="webhook" back={{ href: root, label: "Back to flows" }} />;
  }
  return (
    <Page title={flow.data?.name ?? "Webhook"} trail={<FlowTrail root={root} flow={null} />} isWide>
      {failure ? (
        <LoadFailure error={failure} onRetry={() => Promise.all([flow.refetch(), stats.refetch()])} />
      ) : (
        <ListSkeleton label="Loading webhook" />
      )}
    </Page>
  );
}

function Loaded({ flow, stats, root }: { flow: FlowDetail; stats: WebhookStats; root: string }) {
  const { isAdmin } = useRights();
  const { isOnline } = useConnectivity();
  const isPhone = useIsPhone();
  const mayChange = useMayChange(flow);
  const { setEnabled } = useFlowActions(flow);
  const fresh = useOneTimeValue(secrets, flow.id);
  const [isAsking, setIsAsking] = useState(false);
  const { workspace } = useWorkspace();
  const sendTest = useSingleMutation(
    useMutation({
      mutationFn: () => flowsApi.sendTest(workspace.id, flow.id),
      onSuccess: () => announce("Test event accepted"),
      onError: (error) => showFailure(toMessage(error)),
    }),
  );
  const told = useResourceNotifications({ resourceType: "flow", resourceId: flow.id });
  const { url } = stats;
  const open = (
    <button type="button" className="btn primary" disabled={!isOnline} onClick={() => setIsAsking(true)}>
      <Webhook className="s" />
      Create endpoint URL
    </button>
  );
  const actions = (
    <>
      <Link className="btn" href={`${root}/${flow.id}`}>
        Runs
      </Link>
      <Link className="btn" href={`${root}/${flow.id}/edit`}>
        Settings
      </Link>
      {isAdmin && url !== null && (
        <button type="button" className="btn" disabled={!isOnline} onClick={() => sendTest.mutate()}>
          <Send className="s" />
          Send test event
        </button>
      )}
      {mayChange && (
        <button
          type="button"
          className="btn"
          disabled={!isOnline || setEnabled.isPending}
          onClick={() => setEnabled.mutate(!flow.enabled)}
        >
          {flow.enabled ? <Pause className="s" /> : <Play className="s" />}
          {flow.enabled ? "Pause" : "Resume"}
        </button>
      )}
    </>
  );
  return (
    <div className="panel-host">
      <Page title={flow.name} trail={<FlowTrail root={root} flow={flow} name="Webhook" />} actions={actions} isWide>
        {!flow.enabled && (
          <Notice kind="info">This flow is paused. Events are queued and written when you resume it.</Notice>
        )}
        {fresh && (
          <SecretBanner
            name={`signing secret of ${flow.name}`}
            noun="secret"
            secret={fresh.secret}
            lost="You won't see it again. If you lose it, rotate the URL and secret."
            onSaved={() => keepOneTimeValue(secrets, flow.id, null)}
          />
        )}
        {url === null ? (
          <div className="empty blank">
            <span className="empty-mark">
              <Webhook />
            </span>
            <h2>No endpoint URL yet</h2>
            <p>Creating it also creates a signing secret, which is shown once.</p>
            {isAdmin ? (
              <div className="row">{open}</div>
            ) : (
              <Notice kind="locked">Only owners and admins can create endpoint URLs.</Notice>
            )}
          </div>
        ) : (
          <div className="hook">
            <div className="hook-main">
              <Figures stats={stats} />
              <ArrivalList flowId={flow.id} />
              {told.deliveries}
              {isPhone && <RunList flowId={flow.id} />}
            </div>
            <div className="hook-side">
              <Address url={url} canRotate={isOnline && fresh === null} onRotate={() => setIsAsking(true)} />
              <TryWebhook url={isAdmin ? url : null} />
              <Where flow={flow} />
              {told.rules}
            </div>
          </div>
        )}
        {isAsking && (
          <ProvisionWebhook
            flow={flow}
            isNew={url === null}
            onDone={(made) => {
              keepOneTimeValue(secrets, flow.id, made);
              setIsAsking(false);
            }}
            onClose={() => setIsAsking(false)}
          />
        )}
      </Page>
      {told.panel}
    </div>
  );
}

type AddressProps = { url: string; canRotate: boolean; onRotate: () => void };

/** The endpoint of the webhook, which only owners and admins see in full. */
function Address({ url, canRotate, onRotate }: AddressProps) {
  const { isAdmin } = useRights();
  return (
    <section className="card hook-card" aria-labelledby="address">
      <h2 id="address">Endpoint URL</h2>
      <div className="row hook-address">
        <div className="input mono grow">
          <input aria-label="Endpoint URL" readOnly value={url} onFocus={({ target }) => target.select()} />
        </div>
        {isAdmin && <CopyButton text={url} name="Copy endpoint URL" />}
      </div>
      <p className="xs t3">POST JSON, up to 1 MiB. 60 requests per minute, bursts of 600.</p>
      {isAdmin ? (
        <button type="button" className="btn ghost danger sm hook-rotate" disabled={!canRotate} onClick={onRotate}>
          <RefreshCw className="s" />
          Rotate URL and secret
        </button>
      ) : (
        <p className="xs t3">The URL contains a key. Only owners and admins see it in full.</p>
      )}
    </section>
  );
}

function Figures({ stats }: { stats: WebhookStats }) {
  const now = useNow(true, AGE_EVERY_MS);
  const last = stats.lastReceivedAt === null ? null : new Date(stats.lastReceivedAt);
  return (
    <section className="card hook-card" aria-label="Event statistics">
      <div className="row hook-figs-row">
        <dl className="hook-figs num">
          <Figure name="received" value={stats.received} />
          <Figure name="accepted" value={stats.accepted} />
          <Figure name="duplicates" value={stats.duplicates} />
          <Figure name="rejected" value={stats.rejected} look={stats.rejected > 0 ? "bad" : ""} />
          <Figure name="queued" value={stats.pending} look={stats.pending > 0 ? "run" : ""} />
          <Figure name="written" value={stats.processed} />
          {stats.failed > 0 && <Figure name="failed" value={stats.failed} look="bad" />}
        </dl>
        <span className="grow" />
        <span className="xs t3" title={now && last ? formatStamp(last) : undefined}>
          {now !== null && (last === null ? "No events yet" : `Last event ${formatAgo(last, new Date(now))}`)}
        </span>
      </div>
      <HourBars hours={stats.last24h} what="Received" />
    </section>
  );
}

function Figure({ name, value, look = "" }: { name: string; value: number; look?: "" | "bad" | "run" }) {
  return (
    <div className={look}>
      <dt>{name}</dt>
      <dd>{formatCount(value)}</dd>
    </div>
  );
}

function Where({ flow }: { flow: FlowDetail }) {
  const nameOf = useConnectionName();
  const { schema, table, write, connectionId } = flow.destination;
  return (
    <section className="card hook-card" aria-labelledby="where">
      <h2 id="where">Destination</h2>
      <dl className="kv">
        <dt>Table</dt>
        <dd className="mono">{[nameOf(connectionId), [schema, table].filter(Boolean).join(".")].join(", ")}</dd>
        <dt>Write mode</dt>
        <dd>{write === "upsert" ? "Upsert by event ID" : "Append, one row per event"}</dd>
        <dt>Batch</dt>
        <dd>Up to 500 events per run</dd>
        <dt>Duplicates</dt>
        <dd>Same ID within 7 days is dropped</dd>
      </dl>
    </section>
  );
}

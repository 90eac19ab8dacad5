"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ChevronRight, Ellipsis, Save, Trash2 } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Page } from "@/components/layout/page";
import { useAddress, useOwnSteps } from "@/components/layout/use-address";
import { useOffer } from "@/components/layout/use-offer";
import { useWorkspace } from "@/components/layout/workspace-context";
import { DeleteMetric } from "@/components/metrics/delete-metric";
import { MetricDefinition } from "@/components/metrics/metric-definition";
import { MetricHistory } from "@/components/metrics/metric-history";
import { MetricPreview } from "@/components/metrics/metric-preview";
import { toMetricKey, toMetricsKey, useMetric, useMetricRefresh } from "@/components/metrics/use-metrics";
import { CannotOpen } from "@/components/ui/cannot-open";
import { Keys } from "@/components/ui/keys";
import { LeaveQuestion } from "@/components/ui/leave-question";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { Menu, MenuItem } from "@/components/ui/menu";
import { Notice } from "@/components/ui/notice";
import { PersonCell } from "@/components/ui/person";
import { toMessage } from "@/components/ui/to-message";
import { showFailure, showToast } from "@/components/ui/toast";
import { useConnectivity } from "@/components/ui/use-browser";
import { useLater } from "@/components/ui/use-later";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import { metricApi } from "@/lib/features/metrics/browser/client";
import { readOutline } from "@/lib/features/metrics/browser/outline";
import { toMetricTitle } from "@/lib/features/metrics/browser/words";
import type { MetricItem } from "@/lib/features/metrics/schema";
import { ApiError } from "@/lib/platform/browser/request";
import "./metrics.css";

/** A typed text is queried once the user pauses. */
const TYPING_MS = 500;

/** Page of one metric: its values, definition, uses and history. @param name of its file */
export function MetricPage({ name }: { name: string }) {
  const { workspace } = useWorkspace();
  const metric = useMetric(name);
  useMetricRefresh();
  const root = `/w/${workspace.slug}/metrics`;
  if (metric.data) return <Loaded key={name} saved={metric.data} root={root} />;
  if (metric.error instanceof ApiError && [400, 404].includes(metric.error.status)) {
    return <CannotOpen what="metric" back={{ href: root, label: "Back to metrics" }} />;
  }
  return (
    <Page title={name} trail={<Link href={root}>Metrics</Link>} isWide>
      {metric.isError ? (
        <LoadFailure error={metric.error} onRetry={() => metric.refetch()} />
      ) : (
        <ListSkeleton label="Loading metric" />
      )}
    </Page>
  );
}

function Loaded({ saved, root }: { saved: MetricItem; root: string }) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const router = useRouter();
  const { isOnline } = useConnectivity();
  const { query, put } = useAddress();
  useOwnSteps();
  // Null until the user types: the page then follows the saved text.
  const [draft, setDraft] = useState<{ text: string; version: number } | null>(null);
  const [isDeleting, setIsDeleting] = useState(false);
  const [isStale, setIsStale] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const text = draft?.text ?? saved.content;
  const isDirty = draft !== null && draft.text !== saved.content;
  const settled = useLater(text, TYPING_MS);
  const outline = readOutline(settled);
  const asked = query.get("metric");
  const metric = outline.metrics.find((each) => each === asked) ?? outline.metrics[0] ?? null;
  const dimensions = outline.datasets.flatMap(({ name, fields }) => fields.map((field) => `${name}.${field}`));
  const take = (item: MetricItem) => {
    client.setQueryData(toMetricKey(workspace.id, item.name), item);
    void client.invalidateQueries({ queryKey: toMetricsKey(workspace.id) });
    setDraft(null);
    setIsStale(false);
  };
  const [save] = useSingleFlight(async () => {
    if (draft === null || !isDirty) return;
    setIsSaving(true);
    try {
      take(await metricApi.put(workspace.id, saved.name, { content: draft.text, version: draft.version }));
      announce("Metric saved");
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) setIsStale(true);
      else showFailure(toMessage(error));
    } finally {
      setIsSaving(false);
    }
  });
  useOffer(
    "metric",
    isDirty ? [{ id: "save", name: `Save ${saved.name}`, icon: Save, keys: "mod+s", run: () => void save() }] : [],
  );
  return (
    <Page
      title={metric === null ? saved.name : toMetricTitle(metric)}
      trail={
        <>
          <Link href={root}>Metrics</Link>
          <ChevronRight className="xs" />
          <span>{saved.name}</span>
        </>
      }
      actions={
        <>
          <PersonCell id={saved.owner.id} name={saved.owner.name} />
          <button
            type="button"
            className="btn primary"
            disabled={!isDirty || isSaving || !isOnline}
            onClick={() => void save()}
          >
            {isSaving ? "Saving" : "Save"}
            <Keys keys="mod+s" />
          </button>
          <Menu
            align="end"
            trigger={
              <button type="button" className="btn ghost icon" aria-label={`Actions for ${saved.name}`}>
                <Ellipsis className="s" />
              </button>
            }
          >
            <MenuItem icon={<Trash2 />} onSelect={() => setIsDeleting(true)}>
              Delete
            </MenuItem>
          </Menu>
        </>
      }
      isWide
    >
      {isStale && (
        <Notice
          kind="warn"
          role="alert"
          action={
            <button
              type="button"
              className="btn sm"
              onClick={() => {
                setDraft(null);
                setIsStale(false);
                void client.invalidateQueries({ queryKey: toMetricKey(workspace.id, saved.name) });
              }}
            >
              Discard my changes
            </button>
          }
        >
          Someone else changed this metric. Copy your text, then load the current version.
        </Notice>
      )}
      {saved.error !== null && (
        <Notice kind="bad">
          This metric can't be queried. {saved.error}
          {saved.usedBy.length > 0 && ` Used by ${saved.usedBy.map(({ name }) => name).join(", ")}.`}
        </Notice>
      )}
      <div className="metric-cols">
        <div className="metric-main">
          <MetricPreview
            metric={metric}
            metrics={outline.metrics}
            dimensions={dimensions}
            content={settled}
            breakdown={query.get("by")}
            onMetric={(next) => put({ metric: next, by: null }, true)}
            onBreakdown={(next) => put({ by: next })}
          />
          <MetricDefinition
            name={saved.name}
            text={text}
            settled={settled}
            metric={metric}
            onChange={(typed) => setDraft((before) => ({ text: typed, version: before?.version ?? saved.version }))}
          />
        </div>
        <div className="metric-side">
          <section className="metric-card" aria-labelledby="metric-dimensions">
            <h2 id="metric-dimensions">
              Dimensions <span className="t3 num">{dimensions.length}</span>
            </h2>
            {dimensions.length === 0 && <p className="t3 metric-none">No fields in the file.</p>}
            <ul>
              {dimensions.map((each) => (
                <li key={each}>
                  <button
                    type="button"
                    aria-pressed={query.get("by") === each}
                    onClick={() => put({ by: query.get("by") === each ? null : each })}
                  >
                    <span className="trunc grow">{toMetricTitle(each.slice(each.indexOf(".") + 1))}</span>
                    <span className="t3 xs trunc">{each.slice(0, each.indexOf("."))}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
          <section className="metric-card" aria-labelledby="metric-uses">
            <h2 id="metric-uses">
              Used by <span className="t3 num">{saved.usedBy.length}</span>
            </h2>
            {saved.usedBy.length === 0 && <p className="t3 metric-none">Not used yet.</p>}
            <ul>
              {saved.usedBy.map(({ kind, id, name }) => (
                <li key={id} className="metric-use">
                  <Link className="trunc grow" href={`/w/${workspace.slug}/dashboards/${id.split("/")[0]}`}>
                    {name}
                  </Link>
                  <span className="t3 xs">{kind}</span>
                </li>
              ))}
            </ul>
          </section>
          <MetricHistory
            saved={saved}
            isDirty={isDirty}
            onRestored={(item) => {
              take(item);
              showToast("Version restored", { id: "restored" });
            }}
          />
        </div>
      </div>
      <LeaveQuestion title="Discard changes?" isOn={isDirty} onDiscard={null}>
        Your changes to {saved.name} are not saved.
      </LeaveQuestion>
      <DeleteMetric
        saved={saved}
        isOpen={isDeleting}
        onClose={() => setIsDeleting(false)}
        onDeleted={() => router.push(root)}
      />
    </Page>
  );
}

"use client";

import { useQuery } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useMetricHistory } from "@/components/metrics/use-metrics";
import { useMemberId } from "@/components/settings/use-settings";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Modal } from "@/components/ui/modal";
import { Mark } from "@/components/ui/person";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useConnectivity, useNow } from "@/components/ui/use-browser";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import { withLastNewline } from "@/lib/base/values/last-newline";
import type { HistoryItem } from "@/lib/features/folders/schema";
import { metricApi } from "@/lib/features/metrics/browser/client";
import type { MetricItem } from "@/lib/features/metrics/schema";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";
import { later } from "@/lib/platform/browser/load-again";

const loadDiff = later(() => import("@/components/metrics/metric-diff"));
const MetricDiff = lazyComponent(
  loadDiff,
  (module) => module.MetricDiff,
  () => <ListSkeleton label="Loading diff" rows={3} rowPx={26} />,
);
const AGO_EVERY_MS = 30_000;

type MetricHistoryProps = { saved: MetricItem; isDirty: boolean; onRestored: (item: MetricItem) => void };

/** Versions of a metric file. One opens as the difference to the version before, and can be restored. */
export function MetricHistory({ saved, isDirty, onRestored }: MetricHistoryProps) {
  const history = useMetricHistory(saved.name);
  const [opened, setOpened] = useState<HistoryItem | null>(null);
  const items = history.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section className="metric-card" aria-labelledby="metric-history">
      <h2 id="metric-history">
        History{" "}
        {items.length > 0 && (
          <span className="t3 num">
            {items.length}
            {history.hasNextPage && "+"}
          </span>
        )}
      </h2>
      {history.isPending && <ListSkeleton label="Loading history" rows={3} rowPx={34} />}
      {history.isError && !history.data && <LoadFailure error={history.error} onRetry={() => history.refetch()} />}
      <ol>
        {items.map((item) => (
          <li key={item.sha}>
            <button type="button" onClick={() => setOpened(item)}>
              <Author author={item.author} />
              <span className="trunc grow">{item.subject}</span>
              <Ago date={item.date} />
            </button>
          </li>
        ))}
      </ol>
      <LoadMore pages={history} className="link xs metric-more" />
      {opened && (
        <Version
          item={opened}
          saved={saved}
          isNewest={items[0]?.sha === opened.sha}
          isDirty={isDirty}
          onClose={() => setOpened(null)}
          onRestored={onRestored}
        />
      )}
    </section>
  );
}

function Author({ author: { name, email } }: { author: HistoryItem["author"] }) {
  return (
    <span title={name}>
      <Mark id={useMemberId(email) ?? email} name={name} isSmall />
    </span>
  );
}

function Ago({ date }: { date: string }) {
  const now = useNow(true, AGO_EVERY_MS);
  const at = new Date(date);
  return (
    <span className="t3 xs" title={formatStamp(at)}>
      {now === null ? "" : formatAgo(at, new Date(now))}
    </span>
  );
}

type VersionProps = MetricHistoryProps & { item: HistoryItem; isNewest: boolean; onClose: () => void };

function Version({ item, saved, isNewest, isDirty, onClose, onRestored }: VersionProps) {
  const { workspace } = useWorkspace();
  const { isOnline } = useConnectivity();
  const commit = useQuery({
    queryKey: ["commit", workspace.id, saved.id, item.sha],
    queryFn: ({ signal }) => metricApi.readCommit(workspace.id, saved.name, item.sha, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [isBusy, setIsBusy] = useState(false);
  const [restore] = useSingleFlight(async () => {
    setIsBusy(true);
    try {
      onRestored(await metricApi.restore(workspace.id, saved.name, item.sha));
      onClose();
    } catch (error) {
      showFailure(toMessage(error));
      setIsBusy(false);
    }
  });
  const file = commit.data?.files[0];
  const isCurrent = isNewest || file?.after === saved.content;
  return (
    <Modal
      title={item.subject}
      isOpen
      isWide
      onClose={onClose}
      foot={
        <>
          <span className="t3 xs grow">
            {isCurrent
              ? "This is the current version."
              : isDirty
                ? "Save or discard your changes before you restore."
                : ""}
          </span>
          <button type="button" className="btn ghost" onClick={onClose}>
            Close
          </button>
          <button
            type="button"
            className="btn primary"
            disabled={isCurrent || isDirty || isBusy || !isOnline || !file}
            onClick={() => void restore()}
          >
            <RotateCcw className="s" />
            Restore version
          </button>
        </>
      }
    >
      <p className="t2 xs metric-version">
        {item.author.name}, {formatStamp(new Date(item.date))}
      </p>
      {commit.isPending && <ListSkeleton label="Loading version" rows={4} />}
      {commit.isError && <LoadFailure error={commit.error} onRetry={() => commit.refetch()} />}
      {file && <MetricDiff before={withLastNewline(file.before ?? "")} after={withLastNewline(file.after ?? "")} />}
    </Modal>
  );
}

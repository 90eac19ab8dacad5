"use client";

import { SquareTerminal } from "lucide-react";
import { useDialect } from "@/components/connections/use-connection-types";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useSavedConsole } from "@/components/consoles/use-consoles";
import { SqlCode } from "@/components/editor/sql-code";
import { useMetricStatement } from "@/components/metrics/use-metrics";
import { useConnections, useFindConnection } from "@/components/schema/use-schema";
import { CopyButton } from "@/components/ui/copy-button";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import type { Dashboard, Widget } from "@/lib/features/dashboards/schema";
import "@/components/markdown/markdown.css";

type WidgetQueryProps = { dashboard: Dashboard; widget: Widget; onClose: () => void };

/** The query of a widget and its connection, for users who can see the connection. */
export function WidgetQuery({ dashboard, widget, onClose }: WidgetQueryProps) {
  const { create, open } = useConsoleActions();
  const connections = useConnections();
  const find = useFindConnection();
  const { source } = widget;
  const read =
    source && "datasetId" in source ? dashboard.datasets.find(({ id }) => id === source.datasetId)?.source : source;
  const consoleId = read && "consoleId" in read ? read.consoleId : null;
  const kept = useSavedConsole(consoleId);
  const planned = useMetricStatement(read && "metrics" in read ? read : null);
  const asked = read && "query" in read ? read.query : (planned.data?.sql ?? kept.data?.content ?? null);
  const query = asked === null || typeof asked === "string" ? asked : JSON.stringify(asked, null, 2);
  const connectionId = read && "connectionId" in read ? read.connectionId : (kept.data?.connectionId ?? null);
  const metrics = read && "metrics" in read ? read.metrics : null;
  const connection = find(connectionId);
  const dialect = useDialect(connection?.type);
  const isPending =
    connections.isPending ||
    connection === undefined ||
    (consoleId !== null && kept.isPending) ||
    (metrics !== null && planned.isPending);
  const failure = kept.error ?? planned.error ?? connections.error;
  const isSeen = (connection || metrics !== null) && query !== null;
  const openIt = () => {
    onClose();
    if (consoleId !== null) open(consoleId);
    else create(connectionId, { name: `${widget.title || "widget"}.sql`, content: query ?? "" });
  };
  return (
    <Modal
      title={`Query: ${widget.title || "widget"}`}
      isOpen
      onClose={onClose}
      foot={
        isSeen && (
          <>
            <CopyButton text={query} name="Copy query" className="btn" />
            {connection && (
              <button type="button" className="btn primary" onClick={openIt}>
                <SquareTerminal className="s" />
                Open in console
              </button>
            )}
          </>
        )
      }
    >
      {isPending && <ListSkeleton label="Loading query" />}
      {!isPending && failure && (
        <LoadFailure
          error={failure}
          onRetry={() => Promise.all([connections.refetch(), kept.refetch(), planned.refetch()])}
        />
      )}
      {!isPending && !failure && !isSeen && (
        <Notice kind="info">You can't view this query. Ask the dashboard's owner.</Notice>
      )}
      {isSeen && (
        <>
          <p className="widget-query-of">
            {kept.data ? `Console: ${kept.data.name}. ` : ""}
            {metrics ? `Metrics: ${metrics.join(", ")}` : `Connection: ${connection?.name}`}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard */}
          <pre className="sqls widget-query" tabIndex={0}>
            <code>
              <SqlCode text={query} dialect={dialect ?? "standard"} />
            </code>
          </pre>
        </>
      )}
    </Modal>
  );
}

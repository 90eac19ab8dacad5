"use client";

import { CircleCheck, CircleDashed, CircleX, Play, RefreshCw, Waves } from "lucide-react";
import { useState } from "react";
import { isMoving, useBindings } from "@/components/apps/workbench/use-bindings";
import type { Places } from "@/components/apps/workbench/use-places";
import type { Work } from "@/components/apps/workbench/use-work";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useFindConnection } from "@/components/schema/use-schema";
import { CodeBox } from "@/components/ui/code-box";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { RowsTable } from "@/components/ui/rows-table";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useNow, useOutage } from "@/components/ui/use-browser";
import type { BindingData, BindingItem, Build } from "@/lib/features/apps/bindings/schema";
import { appApi } from "@/lib/features/apps/browser/client";
import { formatCountOf, toSize } from "@/lib/platform/browser/format";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";

const AGO_EVERY_MS = 30_000;
/** Number of preview rows shown; the response has up to 1,000. */
const ROWS_SHOWN = 100;
const LOOKS = {
  missing: { Icon: CircleDashed, word: "Not built yet", className: "wait" },
  queued: { Icon: Waves, word: "Queued", className: "run" },
  building: { Icon: Waves, word: "Building", className: "run" },
  ready: { Icon: CircleCheck, word: "Ready", className: "ok" },
  error: { Icon: CircleX, word: "Failed", className: "bad" },
} as const;

type BindingsViewProps = {
  work: Work;
  places: Places;
  isReadOnly: boolean;
  onGoTo: (place: { path: string; line: number; column: null }) => void;
};

/** Bindings of an app: their queries, the state of their rows, and the rows. */
export function BindingsView({ work, places, isReadOnly, onGoTo }: BindingsViewProps) {
  const bindings = useBindings(work.app);
  return (
    <section className="app-view" aria-label="Bindings">
      <div className="row app-view-head">
        <h2 className="b6">Bindings</h2>
        {bindings.data && <span className="t2 xs num">{bindings.data.length}</span>}
      </div>
      {bindings.isPending && <ListSkeleton label="Loading bindings" />}
      {bindings.isError && !bindings.data && <LoadFailure error={bindings.error} onRetry={() => bindings.refetch()} />}
      {bindings.data?.length === 0 && (
        <div className="empty blank app-view-empty">
          <h2>No bindings yet</h2>
          <p>
            A binding is a cached query in <span className="mono">bindings/name.sql</span>.
          </p>
        </div>
      )}
      <ul className="binding-list" aria-label="Bindings">
        {bindings.data?.map((each) => (
          <Binding
            key={each.name}
            work={work}
            binding={each}
            isReadOnly={isReadOnly}
            onOpen={() => places.open(each.path)}
            onGoTo={onGoTo}
          />
        ))}
      </ul>
    </section>
  );
}

type BindingProps = Pick<BindingsViewProps, "work" | "isReadOnly" | "onGoTo"> & {
  binding: BindingItem;
  onOpen: () => void;
};

function Binding({ work, binding, isReadOnly, onOpen, onGoTo }: BindingProps) {
  const { app } = work;
  const { workspace } = useWorkspace();
  const outage = useOutage();
  const connection = useFindConnection()(binding.connectionId);
  const [rows, setRows] = useState<BindingData | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState<"try" | "refresh" | null>(null);
  const { name, path, line, schedule, description, build, published } = binding;

  const tryOut = async () => {
    setBusy("try");
    setFailure(null);
    try {
      await work.store.flush();
      setRows(await appApi.tryBinding(workspace.id, app.id, name));
      announce(`${name} loaded`);
    } catch (error) {
      setRows(null);
      setFailure(toMessage(error));
    } finally {
      setBusy(null);
      await work.readAnew();
    }
  };
  const refresh = async () => {
    setBusy("refresh");
    try {
      await appApi.refreshBinding(workspace.id, app.id, name);
    } catch (error) {
      showFailure(`Couldn't refresh ${name}. ${toMessage(error)}`);
    } finally {
      setBusy(null);
      await work.readAnew();
    }
  };
  const reason = failure ?? build.error;
  return (
    <li className="binding">
      <div className="row">
        <button type="button" className="link mono b6 trunc" onClick={onOpen}>
          {name}
        </button>
        <span className="grow" />
        <BuildState build={build} />
      </div>
      {description !== null && <p className="t2">{description}</p>}
      <p className="xs t2">
        {connection?.name ?? (binding.connectionId === null ? "No connection" : "Private connection")}
        {schedule === null ? ", refreshed manually" : `, ${schedule.cron} in ${schedule.timezone}`}
      </p>
      <Facts build={build} label="" />
      {published !== null && published !== build && published.sha !== build.sha && (
        <Facts build={published} label="Published: " />
      )}
      {reason !== null && (
        <Notice
          kind="bad"
          action={
            line !== null && (
              <button type="button" className="btn sm" onClick={() => onGoTo({ path, line, column: null })}>
                Go to line {line}
              </button>
            )
          }
        >
          {reason}
        </Notice>
      )}
      {!isReadOnly && (
        <div className="row">
          <button
            type="button"
            className="btn run sm"
            disabled={busy !== null || outage !== null}
            title={outage ?? undefined}
            onClick={() => void tryOut()}
          >
            <Play className="s" />
            {busy === "try" ? "Running" : "Run query"}
          </button>
          {published !== null && (
            <button
              type="button"
              className="btn sm"
              disabled={busy !== null || outage !== null || isMoving(published.state)}
              onClick={() => void refresh()}
            >
              <RefreshCw className="s" />
              {isMoving(published.state) ? "Refreshing" : "Refresh published data"}
            </button>
          )}
        </div>
      )}
      {rows && <Rows name={name} data={rows} />}
    </li>
  );
}

function BuildState({ build: { state } }: { build: Build }) {
  const { Icon, word, className } = LOOKS[state];
  return (
    <span className={`st ${className}`}>
      <Icon className="s" aria-hidden="true" />
      {word}
    </span>
  );
}

/** "1,204 rows, 88 KB, 6 min ago". */
function Facts({ build, label }: { build: Build; label: string }) {
  const now = useNow(build.builtAt !== null, AGO_EVERY_MS);
  if (build.builtAt === null) return null;
  const at = new Date(build.builtAt);
  const size = build.bytes === null ? null : toSize(build.bytes);
  return (
    <p className="xs t2" title={formatStamp(at)}>
      {label}
      {build.rowCount !== null && `${formatCountOf(build.rowCount, "row")}, `}
      {size && `${size.value} ${size.unit}, `}
      {now === null ? formatStamp(at) : formatAgo(at, new Date(now))}
      {build.truncated && ", truncated"}
    </p>
  );
}

function Rows({ name, data }: { name: string; data: BindingData }) {
  const shown = data.rows.slice(0, ROWS_SHOWN);
  return (
    <div className="binding-rows">
      <p className="xs t2">
        {shown.length < data.rows.length || data.truncated
          ? `First ${formatCountOf(shown.length, "row")}, with your edits`
          : `${formatCountOf(data.rows.length, "row")}, with your edits`}
      </p>
      <RowsTable label={`${name} rows`} fields={data.fields} rows={shown} />
      <CodeBox label="Use in the app">{`const { rows, age } = useBinding("${name}");`}</CodeBox>
    </div>
  );
}

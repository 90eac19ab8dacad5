"use client";

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { ArrowLeft, FileCode2, History, RotateCcw } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { useDialect } from "@/components/connections/use-connection-types";
import { toHistoryKey } from "@/components/consoles/console-service";
import { SavedView } from "@/components/consoles/saved-view";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { SqlCode } from "@/components/editor/sql-code";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useFindConnection } from "@/components/schema/use-schema";
import { useMemberId } from "@/components/settings/use-settings";
import { CopyButton } from "@/components/ui/copy-button";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Mark } from "@/components/ui/person";
import { Segments } from "@/components/ui/segments";
import { showToast } from "@/components/ui/toast";
import { useConnectivity, useMediaQuery, useNow } from "@/components/ui/use-browser";
import { withLastNewline } from "@/lib/base/values/last-newline";
import { consoleApi } from "@/lib/features/consoles/browser/client";
import type { Console } from "@/lib/features/consoles/schema";
import type { FileCommit as ConsoleCommit, HistoryItem } from "@/lib/features/folders/schema";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";
import { ApiError } from "@/lib/platform/browser/request";
import "./consoles.css";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { later } from "@/lib/platform/browser/load-again";

const loadDiffView = later(() => import("@/components/editor/diff-view"));
const DiffView = lazyComponent(
  loadDiffView,
  (module) => module.DiffView,
  () => <ListSkeleton label="Loading diff" rows={3} rowPx={26} />,
);

/** Number of digits of a commit id that are shown. */
const SHORT_SHA = 7;
const AGO_EVERY_MS = 30_000;
type DiffKind = "unified" | "split";
const KINDS = [
  { value: "unified", label: "Unified" },
  { value: "split", label: "Side by side" },
] as const;

/** Versions of a console, and the changes of one of them. */
export function HistoryView({ open }: { open: OpenConsole }) {
  const connection = useFindConnection()(open.connectionId) ?? null;
  const dialect = useDialect(connection?.type);
  return (
    <SavedView open={open} title="History" icon={<History />} unsaved="Save this console to start its history.">
      {(saved) => <Saves saved={saved} dialect={dialect} />}
    </SavedView>
  );
}

function Saves({ saved, dialect }: { saved: Console; dialect: SqlDialect }) {
  const { workspace } = useWorkspace();
  const { openHistory, open } = useConsoleActions();
  const asked = useSearchParams().get("sha");
  const isNarrow = useMediaQuery("(max-width: 900px)");
  const history = useInfiniteQuery({
    queryKey: toHistoryKey(workspace.id, saved.id),
    queryFn: ({ signal, pageParam }) => consoleApi.listHistory(workspace.id, saved.id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
  const items = history.data?.pages.flatMap((page) => page.items) ?? [];
  const sha = asked ?? (isNarrow ? null : (items[0]?.sha ?? null));
  if (history.isPending) return <ListSkeleton label="Loading history" rows={6} rowPx={66} />;
  if (!history.data) {
    return (
      <div className="bench-empty">
        <LoadFailure error={history.error} onRetry={() => history.refetch()} />
      </div>
    );
  }
  return (
    <div className={asked === null ? "saves" : "saves at-one"}>
      <div className="saves-list">
        <div className="row between saves-head">
          <h2 className="b6">
            {items.length}
            {history.hasNextPage ? "+" : ""} {items.length === 1 ? "version" : "versions"}
          </h2>
          <button type="button" className="btn ghost sm" onClick={() => open(saved.id)}>
            <ArrowLeft className="s" />
            Back to query
          </button>
        </div>
        <ol aria-label="Versions">
          {items.map((item) => (
            <Save
              key={item.sha}
              item={item}
              isOn={sha !== null && item.sha.startsWith(sha)}
              onOpen={() => openHistory(saved.id, item.sha)}
            />
          ))}
        </ol>
        <LoadMore
          pages={history}
          label="Load older versions"
          busyLabel="Loading older versions"
          className="link xs saves-more"
        />
      </div>
      {sha !== null && (
        <Commit key={sha} saved={saved} sha={sha} isNewest={items[0]?.sha.startsWith(sha) ?? false} dialect={dialect} />
      )}
    </div>
  );
}

/** Avatar in the colour that the user has everywhere. */
function AuthorMark({ author: { name, email } }: { author: HistoryItem["author"] }) {
  return <Mark id={useMemberId(email) ?? email} name={name} isSmall />;
}

function Save({ item, isOn, onOpen }: { item: HistoryItem; isOn: boolean; onOpen: () => void }) {
  const now = useNow(true, AGO_EVERY_MS);
  const at = new Date(item.date);
  return (
    <li className={isOn ? "save-row on" : "save-row"}>
      <button type="button" aria-current={isOn ? "true" : undefined} onClick={onOpen}>
        <i className="save-dot" aria-hidden="true" />
        <span className="save-text">
          <span className={isOn ? "b5 trunc" : "trunc"}>{item.subject}</span>
          <span className="row xs t3">
            <AuthorMark author={item.author} />
            <span className="trunc" title={formatStamp(at)}>
              {item.author.name.split(/\s/)[0]}, {now === null ? formatStamp(at) : formatAgo(at, new Date(now))}
            </span>
            <span className="grow" />
            <LineNumbers of={item} />
          </span>
        </span>
      </button>
    </li>
  );
}

type CommitProps = { saved: Console; sha: string; isNewest: boolean; dialect: SqlDialect };

function Commit({ saved, sha, isNewest, dialect }: CommitProps) {
  const { workspace } = useWorkspace();
  const { openHistory } = useConsoleActions();
  const commit = useQuery({
    queryKey: ["commit", workspace.id, saved.id, sha],
    queryFn: ({ signal }) => consoleApi.readCommit(workspace.id, saved.id, sha, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const isUnknown = commit.error instanceof ApiError && [400, 404, 409].includes(commit.error.status);
  return (
    <section className="commit" aria-label="Version">
      <button type="button" className="btn ghost sm commit-back" onClick={() => openHistory(saved.id)}>
        <ArrowLeft className="s" />
        All versions
      </button>
      {commit.isPending && <ListSkeleton label="Loading version" rows={4} />}
      {commit.isError && !isUnknown && <LoadFailure error={commit.error} onRetry={() => commit.refetch()} />}
      {isUnknown && (
        <div className="empty commit-none">
          <h2>Version not found</h2>
          <p>{commit.error?.message}</p>
        </div>
      )}
      {commit.data && <CommitParts commit={commit.data} saved={saved} isNewest={isNewest} dialect={dialect} />}
    </section>
  );
}

type PartsProps = { commit: ConsoleCommit; saved: Console; isNewest: boolean; dialect: SqlDialect };

function CommitParts({ commit, saved, isNewest, dialect }: PartsProps) {
  const { consoles } = useWorkspace();
  const { openHistory } = useConsoleActions();
  const { isOnline } = useConnectivity();
  const isNarrow = useMediaQuery("(max-width: 1100px)");
  const [chosen, setChosen] = useState<DiffKind | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const kind = chosen ?? (isNarrow ? "unified" : "split");
  const [subject = "", ...rest] = commit.message.split("\n");
  const body = rest.join("\n").trim();
  const file = commit.files[0];
  const text = file?.after ?? null;
  const isPresent = isNewest || text === saved.content;

  const restore = async () => {
    setIsBusy(true);
    const restored = await consoles.restoreVersion(saved.id, commit.sha);
    setIsBusy(false);
    if (restored === null) return;
    announce("Restored");
    showToast(`${saved.name} restored to ${commit.sha.slice(0, SHORT_SHA)}`, {
      id: "restored",
    });
    openHistory(saved.id);
  };
  return (
    <>
      <div className="commit-head">
        <div className="row commit-title">
          <h2 className="grow">{subject}</h2>
          {text !== null && <CopyButton text={text} label="Copy version" />}
          {text !== null && (
            <button
              type="button"
              className="btn primary sm"
              disabled={isPresent || isBusy || !isOnline}
              title={isPresent ? "This is the current version" : undefined}
              onClick={() => void restore()}
            >
              <RotateCcw className="s" />
              Restore
            </button>
          )}
        </div>
        {body !== "" && <p className="t2 commit-body">{body}</p>}
        <div className="row xs t3 commit-facts">
          <AuthorMark author={commit.author} />
          <span className="t2">{commit.author.name}</span>
          <span>{formatStamp(new Date(commit.date))}</span>
          <span className="tag mono">{commit.sha.slice(0, SHORT_SHA)}</span>
          {commit.parents[0] && (
            <span>
              parent <span className="mono">{commit.parents[0].slice(0, SHORT_SHA)}</span>
            </span>
          )}
        </div>
      </div>
      {file && (
        <>
          <div className="row xs commit-file">
            <FileCode2 className="s t3" />
            <span className="mono trunc">{file.path}</span>
            <FileNumbers file={file} />
            <span className="grow" />
            <Segments label="Diff view" value={kind} options={KINDS} onChange={setChosen} />
          </div>
          <FileChange file={file} kind={kind} dialect={dialect} />
          {text !== null && (
            <>
              <div className="row xs commit-file">
                <h3 className="b5 grow">Full query</h3>
                <span className="t3">{countLines(text)}</span>
              </div>
              <WholeText text={text} dialect={dialect} />
            </>
          )}
        </>
      )}
    </>
  );
}

type FileOf = ConsoleCommit["files"][number];

function FileNumbers({ file }: { file: FileOf }) {
  const renamedFrom = file.status === "renamed" ? /^rename from (.+)$/m.exec(file.patch ?? "")?.[1] : undefined;
  return (
    <>
      {file.status !== "modified" && <span className="tag">{toWord(file.status)}</span>}
      {renamedFrom && <span className="t3 trunc">Renamed from {renamedFrom}</span>}
      <LineNumbers of={file} />
    </>
  );
}

/** Numbers of added and deleted lines; renders nothing for 0. */
function LineNumbers({ of: { additions, deletions } }: { of: Pick<FileOf, "additions" | "deletions"> }) {
  return (
    <>
      {additions ? (
        <span className="num added">
          +{formatCount(additions)}
          <span className="sr-only"> {additions === 1 ? "line" : "lines"}</span>
        </span>
      ) : null}
      {deletions ? (
        <span className="num taken">
          -{formatCount(deletions)}
          <span className="sr-only"> {deletions === 1 ? "line" : "lines"}</span>
        </span>
      ) : null}
    </>
  );
}

function FileChange({ file, kind, dialect }: { file: FileOf; kind: DiffKind; dialect: SqlDialect }) {
  const before = withLastNewline(file.before ?? "");
  const after = withLastNewline(file.after ?? "");
  if (before === after) {
    return (
      <p className="commit-same t2">
        {file.status === "renamed" ? "Renamed or moved. Content unchanged." : "Content unchanged."}
      </p>
    );
  }
  return <DiffView key={`${kind} ${dialect}`} before={before} after={after} kind={kind} dialect={dialect} />;
}

function WholeText({ text, dialect }: { text: string; dialect: SqlDialect }) {
  const numbers = text.split("\n").map((_, i) => i + 1);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
    <section className="code commit-text" aria-label="Full query" tabIndex={0}>
      <pre className="commit-numbers" aria-hidden="true">
        {numbers.join("\n")}
      </pre>
      <pre>
        <SqlCode text={text} dialect={dialect} />
      </pre>
    </section>
  );
}

function toWord(status: FileOf["status"]): string {
  return status.charAt(0).toUpperCase() + status.slice(1);
}

function countLines(text: string): string {
  return formatCountOf(text.split("\n").length, "line");
}

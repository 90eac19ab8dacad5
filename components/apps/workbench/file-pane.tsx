"use client";

import { useQuery } from "@tanstack/react-query";
import { Download, FileQuestion, GitCompare } from "lucide-react";
import { useEffect, useState } from "react";
import { toAppWorkKey } from "@/components/apps/use-apps";
import { useBindings } from "@/components/apps/workbench/use-bindings";
import { toKnown, useAppFile, type Work } from "@/components/apps/workbench/use-work";
import type { TextProblem } from "@/components/editor/text-editor";
import { useWorkspace } from "@/components/layout/workspace-context";
import { CopyButton } from "@/components/ui/copy-button";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { showFailure } from "@/components/ui/toast";
import type { BindingItem } from "@/lib/features/apps/bindings/schema";
import { fileKindOf, imageTypeOf, nameOf } from "@/lib/features/apps/browser/app-files";
import { appApi } from "@/lib/features/apps/browser/client";
import { toSize } from "@/lib/platform/browser/format";
import { later } from "@/lib/platform/browser/load-again";
import { ApiError } from "@/lib/platform/browser/request";
import { saveFile } from "@/lib/platform/browser/save-file";

const loadEditor = later(() => import("@/components/apps/workbench/file-editor"));
const FileEditor = lazyComponent(
  loadEditor,
  (module) => module.FileEditor,
  () => <ListSkeleton label="Loading editor" />,
);
const loadDiff = later(() => import("@/components/apps/workbench/text-diff"));
const TextMerge = lazyComponent(loadDiff, (module) => module.TextMerge);

const NO_PROBLEMS: TextProblem[] = [];
const NO_BINDINGS: BindingItem[] = [];

type FilePaneProps = {
  work: Work;
  path: string;
  isReadOnly: boolean;
  problems?: readonly TextProblem[];
  goTo: { path: string; line: number; column: number | null } | null;
};

/** Pane of one file: editor, picture, or a description of its content. */
export function FilePane({ work, path, isReadOnly, problems = NO_PROBLEMS, goTo }: FilePaneProps) {
  const { app, store, texts } = work;
  const [isText, setIsText] = useState(false);
  const image = imageTypeOf(path);
  const file = useAppFile(app, path);
  const bindings = useBindings(app).data ?? NO_BINDINGS;
  const local = texts.get(path) ?? null;
  const known = toKnown(file.data);
  const isGone = file.error instanceof ApiError && file.error.status === 404;
  const isTooLarge = file.error instanceof ApiError && file.error.status === 413;

  if (image !== null && !isText) {
    return (
      <Picture work={work} path={path} type={image} onText={path.endsWith(".svg") ? () => setIsText(true) : null} />
    );
  }
  if (local?.status === "conflict") return <Conflict key={path} work={work} path={path} />;
  if (isGone && local === null) {
    return (
      <div className="empty blank app-view-empty">
        <h2>{nameOf(path)} doesn't exist</h2>
        <p>It was deleted or renamed.</p>
      </div>
    );
  }
  if (isTooLarge || (file.data && known === null)) {
    return <Binary work={work} path={path} why={isTooLarge ? "Too large to edit here." : "Binary file."} />;
  }
  const content = local?.content ?? known?.content;
  if (content === undefined) {
    return file.isError ? (
      <div className="app-view-empty">
        <LoadFailure error={file.error} onRetry={() => file.refetch()} />
      </div>
    ) : (
      <ListSkeleton label="Loading file" />
    );
  }
  return (
    <>
      {local?.status === "refused" && (
        <Notice kind="bad" role="alert" action={<CopyButton text={content} name="Copy file content" />}>
          Couldn't save this file. {local.message} Edit it to retry.
        </Notice>
      )}
      <FileEditor
        key={path}
        traceId={`app:${app.id}:${path}`}
        label={`Content of ${path}`}
        kind={fileKindOf(path)}
        content={content}
        isReadOnly={isReadOnly}
        problems={problems}
        bindings={bindings}
        goTo={goTo?.path === path ? goTo : null}
        onChange={(typed) =>
          store.write(path, typed, known ?? { oid: local?.baseOid ?? "none", content: isGone ? "\u0000" : "" })
        }
      />
    </>
  );
}

/** Compares the user's text with a newer one on the server; the user keeps one of them or merges them. */
function Conflict({ work, path }: { work: Work; path: string }) {
  const { app, store } = work;
  const { workspace } = useWorkspace();
  const [mine] = useState(() => store.read(path)?.content ?? "");
  const [merged, setMerged] = useState(mine);
  const theirs = useQuery({
    queryKey: [...toAppWorkKey(workspace.id, app.id), "theirs", path],
    queryFn: async ({ signal }) => {
      try {
        return toKnown(await appApi.readFile(workspace.id, app.id, path, undefined, signal));
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return { oid: "none", content: "" };
        throw error;
      }
    },
    gcTime: 0,
  });
  if (theirs.isError) {
    return (
      <div className="app-view-empty">
        <LoadFailure error={theirs.error} onRetry={() => theirs.refetch()} />
      </div>
    );
  }
  if (!theirs.isSuccess) return <ListSkeleton label="Loading current version" />;
  const other = theirs.data ?? { oid: "none", content: "" };
  const isGone = other.oid === "none";
  return (
    <section className="compare" aria-label="Compare versions">
      <div className="compare-head">
        <div className="row">
          <GitCompare className="s" />
          <h2 className="grow">
            {isGone ? `${nameOf(path)} was deleted while you edited it` : `${nameOf(path)} changed while you edited it`}
          </h2>
        </div>
        <p className="t2 xs">Choose which version to keep.</p>
        <div className="row compare-acts">
          <button type="button" className="btn primary" onClick={() => store.resolve(path, merged, other)}>
            {merged === mine ? "Keep mine" : "Save merged version"}
          </button>
          <button
            type="button"
            className="btn"
            onClick={() => {
              store.drop(path);
              void work.readAnew();
            }}
          >
            {isGone ? "Discard mine" : "Use theirs"}
          </button>
        </div>
      </div>
      <TextMerge key={other.oid} path={path} theirs={other.content} mine={mine} onChange={setMerged} />
    </section>
  );
}

/** Returns the object URL of a file's bytes. */
function useObjectUrl(work: Work, path: string, type: string) {
  const { workspace } = useWorkspace();
  const oid = work.files.find((each) => each.path === path)?.oid;
  const bytes = useQuery({
    queryKey: ["app-bytes", workspace.id, work.app.id, path, oid],
    queryFn: ({ signal }) => appApi.readFileBytes(workspace.id, work.app.id, path, undefined, signal),
    enabled: oid !== undefined,
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!bytes.data) return;
    const made = URL.createObjectURL(new Blob([bytes.data], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes.data, type]);
  return { bytes, url };
}

type PictureProps = { work: Work; path: string; type: string; onText: (() => void) | null };

function Picture({ work, path, type, onText }: PictureProps) {
  const { bytes, url } = useObjectUrl(work, path, type);
  const [size, setSize] = useState<string | null>(null);
  const item = work.files.find((each) => each.path === path);
  return (
    <div className="app-picture">
      {bytes.isError && <LoadFailure error={bytes.error} onRetry={() => bytes.refetch()} />}
      {url !== null && (
        // biome-ignore lint/performance/noImgElement: a file that is being worked on
        <img
          src={url}
          alt={nameOf(path)}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize(`${naturalWidth} × ${naturalHeight}`)}
          onError={() => setSize("Can't preview this image")}
        />
      )}
      <p className="xs t2">
        {size}
        {size !== null && item ? ", " : ""}
        {item && toWords(item.bytes)}
        {onText && (
          <button type="button" className="btn sm" onClick={onText}>
            Edit as text
          </button>
        )}
      </p>
    </div>
  );
}

function Binary({ work, path, why }: { work: Work; path: string; why: string }) {
  const { workspace } = useWorkspace();
  const item = work.files.find((each) => each.path === path);
  const download = () => {
    appApi.readFileBytes(workspace.id, work.app.id, path).then(
      (bytes) => saveFile(bytes, nameOf(path)),
      (error: unknown) => showFailure(error instanceof ApiError ? error.message : "Couldn't load this file."),
    );
  };
  return (
    <div className="empty blank app-view-empty">
      <span className="empty-mark">
        <FileQuestion />
      </span>
      <h2>{nameOf(path)}</h2>
      <p>
        {why} {item && toWords(item.bytes)}
      </p>
      <div className="row">
        <button type="button" className="btn" onClick={download}>
          <Download className="s" />
          Download
        </button>
      </div>
    </div>
  );
}

function toWords(bytes: number): string {
  const { value, unit } = toSize(bytes);
  return `${value} ${unit}`;
}

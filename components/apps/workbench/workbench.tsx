"use client";

import {
  Check,
  CircleAlert,
  CloudOff,
  Database,
  ExternalLink,
  GitCommitHorizontal,
  History,
  LoaderCircle,
  PanelRight,
  Rocket,
  Settings2,
  Share2,
} from "lucide-react";
import Link from "next/link";
import { useEffect, useMemo, useState } from "react";
import { InExplorer } from "@/components/apps/explorer-place";
import { ShareApp } from "@/components/apps/share-app";
import { BindingsView } from "@/components/apps/workbench/bindings-view";
import { ChangesSection } from "@/components/apps/workbench/changes-section";
import { ChangesView } from "@/components/apps/workbench/changes-view";
import { FilePane } from "@/components/apps/workbench/file-pane";
import type { SaveState } from "@/components/apps/workbench/file-store";
import { FileTabs } from "@/components/apps/workbench/file-tabs";
import { FileTree } from "@/components/apps/workbench/file-tree";
import type { FileMark } from "@/components/apps/workbench/file-tree-row";
import { OutputPane } from "@/components/apps/workbench/output-pane";
import { PreviewPane } from "@/components/apps/workbench/preview-pane";
import { useBindings } from "@/components/apps/workbench/use-bindings";
import { useOutput } from "@/components/apps/workbench/use-output";
import { type Pane, usePlaces } from "@/components/apps/workbench/use-places";
import { useWork, type Work } from "@/components/apps/workbench/use-work";
import { VersionsView } from "@/components/apps/workbench/versions-view";
import { ShowExplorer } from "@/components/layout/show-explorer";
import { useOffer } from "@/components/layout/use-offer";
import { useWorkspace } from "@/components/layout/workspace-context";
import { lazyComponent } from "@/components/ui/lazy-component";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { showToast } from "@/components/ui/toast";
import { useIsPhone, useMediaQuery } from "@/components/ui/use-browser";
import type { App } from "@/lib/features/apps/browser/client";
import { formatCountOf } from "@/lib/platform/browser/format";
import { later } from "@/lib/platform/browser/load-again";
import "@/components/consoles/console.css";
import "@/components/consoles/consoles.css";
import "./workbench.css";
import "@/components/apps/apps.css";

const loadPublish = later(() => import("@/components/apps/workbench/publish-dialog"));
const PublishDialog = lazyComponent(loadPublish, (module) => module.PublishDialog);

const loadSettings = later(() => import("@/components/apps/workbench/app-settings"));
const AppSettings = lazyComponent(loadSettings, (module) => module.AppSettings);

const PHONE_PANES: { value: Pane; label: string }[] = [
  { value: "files", label: "Files" },
  { value: "file", label: "Editor" },
  { value: "changes", label: "Changes" },
  { value: "versions", label: "Versions" },
  { value: "bindings", label: "Bindings" },
];
const VIEW_LABELS = { changes: "Changes view", versions: "Versions view", bindings: "Bindings view" } as const;

/** Labels of binding files, by state. */
const BINDING_MARKS = {
  missing: { word: "new", isBad: false },
  queued: { word: "queued", isBad: false },
  building: { word: "building", isBad: false },
  ready: { word: "ready", isBad: false },
  error: { word: "failed", isBad: true },
} as const;
/** Label of a file that the preview cannot compile. */
const PROBLEM_MARK: FileMark = { word: "error", isBad: true };
/** Narrower windows leave no room for the text beside the preview, which then opens only on request. */
const WIDE = "(min-width: 1200px)";
/** Files to open first, in order of preference. */
const FIRST_FILES = ["src/App.tsx", "src/main.tsx", "index.html", "README.md"];

/** Position in a file; line and column are 1-based. */
type Place = { path: string; line: number; column: number | null };

/** Workbench of an app: its files, editors, changes and preview. */
export function Workbench({ app }: { app: App }) {
  const { user, workspace } = useWorkspace();
  const work = useWork(app);
  const places = usePlaces(app.id, user.id);
  const isPhone = useIsPhone();
  const [goTo, setGoTo] = useState<Place | null>(null);
  const output = useOutput();
  const isWide = useMediaQuery(WIDE);
  /** null until the user has chosen. */
  const [previewChoice, setPreviewChoice] = useState<boolean | null>(null);
  const hasPreview = !isPhone && (previewChoice ?? isWide);
  const [dialog, setDialog] = useState<"publish" | "share" | "settings" | null>(null);
  useEffect(() => {
    document.title = `${app.title} - Millrace`;
  }, [app.title]);
  const first = useMemo(
    () => FIRST_FILES.find((path) => work.files.some((each) => each.path === path)) ?? work.files[0]?.path ?? null,
    [work.files],
  );
  const file = places.file ?? (isPhone ? null : (places.tabs[0] ?? first));
  useOffer("app", [
    {
      id: "save",
      name: "Commit",
      detail: app.title,
      icon: GitCommitHorizontal,
      keys: "mod+s",
      run: () => void commitAll(work),
    },
  ]);

  const bindings = useBindings(app).data;
  const marks = useMemo(
    () =>
      new Map<string, FileMark>([
        ...(bindings ?? []).map(({ path, build }) => [path, BINDING_MARKS[build.state]] as const),
        ...output.problems.flatMap(({ path }) => (path === null ? [] : [[path, PROBLEM_MARK] as const])),
      ]),
    [bindings, output.problems],
  );
  const problems = useMemo(
    () =>
      output.problems
        .filter(({ path }) => path === file)
        .map(({ line, column, message }) => ({ line: line ?? 1, column, message })),
    [output.problems, file],
  );
  const openAt = (place: Place) => {
    places.open(place.path);
    setGoTo(place);
  };
  const shownPlaces = { ...places, file };
  const tree = <FileTree work={work} places={shownPlaces} isReadOnly={isPhone} marks={marks} />;
  const changes = <ChangesSection work={work} places={shownPlaces} isReadOnly={isPhone} />;
  const centre =
    places.centre === "changes" ? (
      <ChangesView work={work} places={shownPlaces} isReadOnly={isPhone} />
    ) : places.centre === "versions" ? (
      <VersionsView work={work} places={shownPlaces} />
    ) : places.centre === "bindings" ? (
      <BindingsView work={work} places={shownPlaces} isReadOnly={isPhone} onGoTo={openAt} />
    ) : file !== null ? (
      <FilePane key={file} work={work} path={file} isReadOnly={isPhone} problems={problems} goTo={goTo} />
    ) : (
      <div className="empty blank app-view-empty">
        <h2>No file open</h2>
        <p>Select a file to edit it.</p>
      </div>
    );
  return (
    <main className="app-bench" aria-labelledby="page-title">
      <header className="row app-bench-head">
        <ShowExplorer />
        <h1 id="page-title" className="b6 trunc">
          {app.title}
        </h1>
        <SaveWords state={work.saveState} />
        <WorkWords work={work} />
        <span className="grow" />
        {!isPhone && (
          <button
            type="button"
            className={places.centre === "bindings" ? "btn on" : "btn ghost"}
            title="Bindings"
            aria-pressed={places.centre === "bindings"}
            onClick={() => places.showCentre(places.centre === "bindings" ? "file" : "bindings")}
          >
            <Database className="s" />
            <span className="wide-word">Bindings</span>
          </button>
        )}
        {!isPhone && (
          <button
            type="button"
            className={places.centre === "versions" ? "btn on" : "btn ghost"}
            title="Versions"
            aria-pressed={places.centre === "versions"}
            onClick={() => places.showCentre(places.centre === "versions" ? "file" : "versions")}
          >
            <History className="s" />
            <span className="wide-word">Versions</span>
          </button>
        )}
        {!isPhone && (
          <button
            type="button"
            className={hasPreview ? "btn on" : "btn ghost"}
            title="Preview"
            aria-pressed={hasPreview}
            onClick={() => setPreviewChoice(!hasPreview)}
          >
            <PanelRight className="s" />
            <span className="wide-word">Preview</span>
          </button>
        )}
        {app.publishedSha !== null && (
          <Link className="btn ghost" title="Open" href={`/w/${workspace.slug}/apps/${app.slug}`}>
            <ExternalLink className="s" />
            <span className="wide-word">Open</span>
          </Link>
        )}
        {!isPhone && (
          <button type="button" className="btn" onClick={() => setDialog("share")}>
            <Share2 className="s" />
            Share
          </button>
        )}
        <button
          type="button"
          className="btn ghost icon"
          aria-label="App settings"
          title="Settings"
          onClick={() => setDialog("settings")}
        >
          <Settings2 className="s" />
        </button>
        <button type="button" className="btn primary" onClick={() => setDialog("publish")}>
          <Rocket className="s" />
          Publish
        </button>
      </header>
      {isPhone ? (
        <>
          <Notice kind="info">Editing needs a larger screen.</Notice>
          <Segments label="View" value={places.pane} options={PHONE_PANES} onChange={places.showPane} />
          {places.pane === "files" ? (
            <div className="app-phone-files">
              {tree}
              {changes}
            </div>
          ) : (
            <div className="app-centre" id="app-centre">
              {centre}
            </div>
          )}
        </>
      ) : (
        <>
          <InExplorer>
            <div className="row app-side-head">
              <span className="b6 trunc grow">{app.slug}</span>
            </div>
            {tree}
            {changes}
          </InExplorer>
          <div className="app-sides">
            <div className="app-middle">
              <FileTabs work={work} places={shownPlaces} />
              <section
                className="app-centre"
                id="app-centre"
                aria-label={places.centre === "file" ? (file ?? "File") : VIEW_LABELS[places.centre]}
                data-region
                tabIndex={-1}
              >
                {centre}
              </section>
              {hasPreview && (
                <OutputPane lines={output.lines} problems={output.problems} onGoTo={openAt} onClear={output.clear} />
              )}
            </div>
            {hasPreview && (
              <PreviewPane app={app} problems={output.problems} onSaid={output.say} onGone={output.forget} />
            )}
          </div>
        </>
      )}
      {dialog === "publish" && (
        <PublishDialog
          work={work}
          onClose={() => setDialog(null)}
          onGoTo={(place) => {
            setDialog(null);
            openAt(place);
          }}
          onDiff={() => {
            setDialog(null);
            places.showCentre("changes");
          }}
        />
      )}
      {dialog === "settings" && <AppSettings app={app} onClose={() => setDialog(null)} />}
      {dialog === "share" && <ShareApp app={app} onClose={() => setDialog(null)} />}
    </main>
  );
}

/** Commits all changes from the keyboard, without a message. */
async function commitAll(work: Work): Promise<void> {
  if (work.texts.size === 0 && work.status.data?.drafts.length === 0) return announce("No changes to commit");
  const done = await work.commit(undefined);
  if (done !== null) showToast(`Committed ${done.sha.slice(0, 7)} to ${done.branch}`, { id: "committed" });
}

const SAVE_WORDS: Record<SaveState, string> = {
  saved: "Saved",
  saving: "Saving",
  offline: "Offline. Saved in this browser.",
  refused: "Couldn't save a file",
  conflict: "Conflict in a file",
};
const SAVE_ICONS = {
  saved: Check,
  saving: LoaderCircle,
  offline: CloudOff,
  refused: CircleAlert,
  conflict: CircleAlert,
};

function SaveWords({ state }: { state: SaveState }) {
  const Icon = SAVE_ICONS[state];
  const isBad = state === "refused" || state === "conflict";
  return (
    <span className={`row xs app-save ${isBad ? "bad" : state}`} role="status" aria-label="Save status">
      <Icon className="s" aria-hidden="true" />
      {SAVE_WORDS[state]}
    </span>
  );
}

/** "2 commits ahead, 3 files changed". */
function WorkWords({ work }: { work: Work }) {
  const { data } = work.status;
  if (!data) return null;
  const count = data.drafts.length;
  const words = [
    data.ahead > 0 && `${formatCountOf(data.ahead, "commit")} ahead`,
    data.behind > 0 && `${data.behind} behind`,
    count > 0 && `${formatCountOf(count, "file")} changed`,
  ].filter(Boolean);
  return <span className="xs t2 trunc app-work">{words.length === 0 ? "Up to date with main" : words.join(", ")}</span>;
}

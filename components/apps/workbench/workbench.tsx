"use client";

import { GitCommitHorizontal } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { InExplorer } from "@/components/apps/explorer-place";
import { ShareApp } from "@/components/apps/share-app";
import { BindingsView } from "@/components/apps/workbench/bindings-view";
import { ChangesSection } from "@/components/apps/workbench/changes-section";
import { ChangesView } from "@/components/apps/workbench/changes-view";
import { problemsOfFile, toFileMarks, toFirstFile } from "@/components/apps/workbench/file-marks";
import { FilePane } from "@/components/apps/workbench/file-pane";
import { FileTabs } from "@/components/apps/workbench/file-tabs";
import { FileTree } from "@/components/apps/workbench/file-tree";
import { OutputPane } from "@/components/apps/workbench/output-pane";
import { PreviewPane } from "@/components/apps/workbench/preview-pane";
import { useBindings } from "@/components/apps/workbench/use-bindings";
import { useOutput } from "@/components/apps/workbench/use-output";
import { type Pane, type Places, usePlaces } from "@/components/apps/workbench/use-places";
import { useWork, type Work } from "@/components/apps/workbench/use-work";
import { VersionsView } from "@/components/apps/workbench/versions-view";
import { type WorkbenchDialog, WorkbenchHead } from "@/components/apps/workbench/workbench-head";
import { useOffer } from "@/components/layout/use-offer";
import { useWorkspace } from "@/components/layout/workspace-context";
import { lazyComponent } from "@/components/ui/lazy-component";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { showToast } from "@/components/ui/toast";
import { useIsPhone, useMediaQuery } from "@/components/ui/use-browser";
import type { App } from "@/lib/features/apps/schema";
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

/** Narrower windows leave no room for the text beside the preview, which then opens only on request. */
const WIDE = "(min-width: 1200px)";

/** Position in a file; line and column are 1-based. */
type Place = { path: string; line: number; column: number | null };

/** Workbench of an app: its files, editors, changes and preview. */
export function Workbench({ app }: { app: App }) {
  const { user } = useWorkspace();
  const work = useWork(app);
  const opened = usePlaces(app.id, user.id);
  const isPhone = useIsPhone();
  const [goTo, setGoTo] = useState<Place | null>(null);
  const output = useOutput();
  const isWide = useMediaQuery(WIDE);
  /** null until the user has chosen. */
  const [previewChoice, setPreviewChoice] = useState<boolean | null>(null);
  const hasPreview = !isPhone && (previewChoice ?? isWide);
  const [dialog, setDialog] = useState<WorkbenchDialog | null>(null);
  useEffect(() => {
    document.title = `${app.title} - Millrace`;
  }, [app.title]);
  useCommitOffer(work);
  const first = useMemo(() => toFirstFile(work.files), [work.files]);
  const file = opened.file ?? (isPhone ? null : (opened.tabs[0] ?? first));
  const places = { ...opened, file };
  const bindings = useBindings(app).data;
  const marks = useMemo(() => toFileMarks(bindings ?? [], output.problems), [bindings, output.problems]);
  const openAt = (place: Place) => {
    places.open(place.path);
    setGoTo(place);
  };
  const tree = <FileTree work={work} places={places} isReadOnly={isPhone} marks={marks} />;
  const changes = <ChangesSection work={work} places={places} isReadOnly={isPhone} />;
  const centre = <CentreView {...{ work, places, output, goTo }} onGoTo={openAt} />;
  return (
    <main className="app-bench" aria-labelledby="page-title">
      <WorkbenchHead
        work={work}
        places={places}
        hasPreview={hasPreview}
        onPreview={setPreviewChoice}
        onDialog={setDialog}
      />
      {isPhone ? (
        <PhonePanes places={places} tree={tree} changes={changes} centre={centre} />
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
              <FileTabs work={work} places={places} />
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

type CentreViewProps = {
  work: Work;
  places: Places;
  output: ReturnType<typeof useOutput>;
  /** Position that was asked for; null before the first. */
  goTo: Place | null;
  onGoTo: (place: Place) => void;
};

/** The open file, or the view that replaces it. */
function CentreView({ work, places, output, goTo, onGoTo }: CentreViewProps) {
  const isPhone = useIsPhone();
  const { file, centre } = places;
  const problems = useMemo(() => problemsOfFile(output.problems, file), [output.problems, file]);
  if (centre === "changes") return <ChangesView work={work} places={places} isReadOnly={isPhone} />;
  if (centre === "versions") return <VersionsView work={work} places={places} />;
  if (centre === "bindings") {
    return <BindingsView work={work} places={places} isReadOnly={isPhone} onGoTo={onGoTo} />;
  }
  if (file !== null) {
    return <FilePane key={file} work={work} path={file} isReadOnly={isPhone} problems={problems} goTo={goTo} />;
  }
  return (
    <div className="empty blank app-view-empty">
      <h2>No file open</h2>
      <p>Select a file to edit it.</p>
    </div>
  );
}

type PhonePanesProps = { places: Places; tree: ReactNode; changes: ReactNode; centre: ReactNode };

/** The panes on a phone, one at a time. */
function PhonePanes({ places, tree, changes, centre }: PhonePanesProps) {
  return (
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
  );
}

/** Offers the commit of all changes by key and in the palette. */
function useCommitOffer(work: Work) {
  useOffer("app", [
    {
      id: "save",
      name: "Commit",
      detail: work.app.title,
      icon: GitCommitHorizontal,
      keys: "mod+s",
      run: () => void commitAll(work),
    },
  ]);
}

/** Commits all changes from the keyboard, without a message. */
async function commitAll(work: Work): Promise<void> {
  if (work.texts.size === 0 && work.status.data?.drafts.length === 0) return announce("No changes to commit");
  const done = await work.commit(undefined);
  if (done !== null) showToast(`Committed ${done.sha.slice(0, 7)} to ${done.branch}`, { id: "committed" });
}

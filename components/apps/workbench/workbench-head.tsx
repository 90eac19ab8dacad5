"use client";

import {
  Check,
  CircleAlert,
  CloudOff,
  Database,
  ExternalLink,
  History,
  LoaderCircle,
  type LucideIcon,
  PanelRight,
  Rocket,
  Settings2,
  Share2,
} from "lucide-react";
import Link from "next/link";
import type { SaveState } from "@/components/apps/workbench/file-store";
import type { Places } from "@/components/apps/workbench/use-places";
import type { Work } from "@/components/apps/workbench/use-work";
import { ShowExplorer } from "@/components/layout/show-explorer";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useIsPhone } from "@/components/ui/use-browser";
import { formatCountOf } from "@/lib/platform/browser/format";

export type WorkbenchDialog = "publish" | "share" | "settings";
type WorkbenchHeadProps = {
  work: Work;
  places: Places;
  hasPreview: boolean;
  onPreview: (isShown: boolean) => void;
  onDialog: (dialog: WorkbenchDialog) => void;
};

/** Title of an app with the state of its files, its views and its dialogs. */
export function WorkbenchHead({ work, places, hasPreview, onPreview, onDialog }: WorkbenchHeadProps) {
  const { workspace } = useWorkspace();
  const isPhone = useIsPhone();
  const { app } = work;
  const viewSwitch = (view: "bindings" | "versions", label: string, Icon: LucideIcon) => (
    <Switch
      label={label}
      icon={Icon}
      isOn={places.centre === view}
      onClick={() => places.showCentre(places.centre === view ? "file" : view)}
    />
  );
  return (
    <header className="row app-bench-head">
      <ShowExplorer />
      <h1 id="page-title" className="b6 trunc">
        {app.title}
      </h1>
      <SaveWords state={work.saveState} />
      <WorkWords work={work} />
      <span className="grow" />
      {!isPhone && (
        <>
          {viewSwitch("bindings", "Bindings", Database)}
          {viewSwitch("versions", "Versions", History)}
          <Switch label="Preview" icon={PanelRight} isOn={hasPreview} onClick={() => onPreview(!hasPreview)} />
        </>
      )}
      {app.publishedSha !== null && (
        <Link className="btn ghost" title="Open" href={`/w/${workspace.slug}/apps/${app.slug}`}>
          <ExternalLink className="s" />
          <span className="wide-word">Open</span>
        </Link>
      )}
      {!isPhone && (
        <button type="button" className="btn" onClick={() => onDialog("share")}>
          <Share2 className="s" />
          Share
        </button>
      )}
      <button
        type="button"
        className="btn ghost icon"
        aria-label="App settings"
        title="Settings"
        onClick={() => onDialog("settings")}
      >
        <Settings2 className="s" />
      </button>
      <button type="button" className="btn primary" onClick={() => onDialog("publish")}>
        <Rocket className="s" />
        Publish
      </button>
    </header>
  );
}

type SwitchProps = { label: string; icon: LucideIcon; isOn: boolean; onClick: () => void };

function Switch({ label, icon: Icon, isOn, onClick }: SwitchProps) {
  return (
    <button type="button" className={isOn ? "btn on" : "btn ghost"} title={label} aria-pressed={isOn} onClick={onClick}>
      <Icon className="s" />
      <span className="wide-word">{label}</span>
    </button>
  );
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

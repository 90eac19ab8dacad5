"use client";

import { Monitor, RefreshCw, Smartphone, Square, Tablet } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { AppFrame } from "@/components/apps/view/app-frame";
import type { Said } from "@/components/apps/workbench/use-output";
import { useWorkspace } from "@/components/layout/workspace-context";
import { type Segment, Segments } from "@/components/ui/segments";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { appApi } from "@/lib/features/apps/browser/client";
import type { BuildProblem } from "@/lib/features/apps/frame/messages";
import type { App } from "@/lib/features/apps/schema";
import { ApiError } from "@/lib/platform/browser/request";
import "@/components/apps/view/app-view.css";

type Width = "desktop" | "tablet" | "phone";

/** Preview widths in CSS pixels; null for that of the pane. */
const WIDTHS_PX: Record<Width, number | null> = { desktop: null, tablet: 768, phone: 390 };
const WIDTHS: Segment<Width>[] = [
  { value: "desktop", label: "Desktop", title: "Desktop", icon: <Monitor className="s" /> },
  {
    value: "tablet",
    label: "Tablet",
    title: `Tablet, ${WIDTHS_PX.tablet} px`,
    icon: <Tablet className="s" />,
  },
  {
    value: "phone",
    label: "Phone",
    title: `Phone, ${WIDTHS_PX.phone} px`,
    icon: <Smartphone className="s" />,
  },
];
/** The address is valid while the dev server runs; no page is open for longer than this. */
const DAY_MS = 24 * 60 * 60 * 1000;

type PreviewPaneProps = {
  app: App;
  /** Current compile errors. */
  problems: readonly BuildProblem[];
  onSaid: (said: Said) => void;
  onGone: () => void;
};

/**
 * Preview of the app's current files beside the editor. Opening it starts the dev server.
 * @param onGone called when the frame is gone; must be a stable function
 */
export function PreviewPane({ app, problems, onSaid, onGone }: PreviewPaneProps) {
  const { workspace } = useWorkspace();
  const [width, setWidth] = useState<Width>("desktop");
  const widthPx = WIDTHS_PX[width];
  /** Number of the frame; null once it was stopped. */
  const [frame, setFrame] = useState<number | null>(0);
  const mint = useCallback(async () => {
    const { url } = await appApi.startPreview(workspace.id, app.id);
    if (url === undefined) throw new ApiError(503, "unavailable", "The preview failed to start. Try again.");
    return { url, token: "", sha: "", expiresAt: new Date(Date.now() + DAY_MS).toISOString() };
  }, [workspace.id, app.id]);
  useEffect(() => (frame === null ? undefined : onGone), [frame, onGone]);
  async function stop() {
    try {
      await appApi.stopPreview(workspace.id, app.id);
      setFrame(null);
    } catch (error) {
      showFailure(toMessage(error));
    }
  }
  return (
    <section className="app-preview" aria-label="Preview" data-region tabIndex={-1}>
      <div className="row app-preview-head">
        <Segments label="Preview width" value={width} options={WIDTHS} onChange={setWidth} />
        <span className="mono xs t2 trunc grow">preview/{app.slug}</span>
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label="Reload preview"
          title="Reload"
          onClick={() => setFrame((count) => (count ?? 0) + 1)}
        >
          <RefreshCw className="s" />
        </button>
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label="Stop preview"
          title="Stop"
          disabled={frame === null}
          onClick={() => void stop()}
        >
          <Square className="s" />
        </button>
      </div>
      {problems.length > 0 && (
        <p className="app-preview-old" role="status">
          Compile error in <span className="mono">{problems.map(({ path }) => path).join(", ")}</span>. The preview may
          be out of date.
        </p>
      )}
      <div className="app-preview-stage">
        {frame === null ? (
          <div className="empty blank">
            <h2>Preview stopped</h2>
            <p>
              <button type="button" className="btn" onClick={() => setFrame(1)}>
                Start preview
              </button>
            </p>
          </div>
        ) : (
          <div className="app-preview-sheet" style={widthPx === null ? undefined : { width: widthPx }}>
            <AppFrame key={frame} title={`Preview of ${app.title}`} mint={mint} onSaid={onSaid} />
          </div>
        )}
      </div>
    </section>
  );
}

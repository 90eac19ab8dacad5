"use client";

import { useWorkspace } from "@/components/layout/workspace-context";
import { lazyComponent } from "@/components/ui/lazy-component";
import { appApi } from "@/lib/features/apps/browser/client";
import type { App } from "@/lib/features/apps/schema";
import { later } from "@/lib/platform/browser/load-again";

const loadShareDialog = later(() => import("@/components/shares/share-dialog"));
const ShareDialog = lazyComponent(loadShareDialog, (module) => module.ShareDialog);

/** Dialog that shares an app by link. */
export function ShareApp({ app, onClose }: { app: App; onClose: () => void }) {
  const { workspace } = useWorkspace();
  return (
    <ShareDialog
      shared={{
        id: app.id,
        title: app.title,
        access: app.access,
        lead: "Anyone with the link can use the published app.",
        canEmbed: false,
        read: (signal) => appApi.readShare(workspace.id, app.id, signal),
        put: (body) => appApi.putShare(workspace.id, app.id, body),
        remove: () => appApi.removeShare(workspace.id, app.id),
      }}
      onClose={onClose}
    />
  );
}

"use client";

import { useState } from "react";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import type { OpenConsole } from "@/components/consoles/use-consoles";
import { lazyComponent } from "@/components/ui/lazy-component";
import { later } from "@/lib/platform/browser/load-again";

const loadCancelQuestion = later(() => import("@/components/consoles/cancel-question"));
const CancelQuestion = lazyComponent(loadCancelQuestion, (module) => module.CancelQuestion);
const loadSaveDialog = later(() => import("@/components/consoles/save-dialog"));
const SaveDialog = lazyComponent(loadSaveDialog, (module) => module.SaveDialog);
const loadFirstSaveDialog = later(() => import("@/components/consoles/first-save-dialog"));
const FirstSaveDialog = lazyComponent(loadFirstSaveDialog, (module) => module.FirstSaveDialog);
const loadDetailsDialog = later(() => import("@/components/consoles/details-dialog"));
/** Shows and changes a console's description and expected rows. */
export const ConsoleDetails = lazyComponent(loadDetailsDialog, (module) => module.DetailsDialog);

/** Asks for the name and folder of the first save, or the message of a later one. */
export function SaveQuestion({ draft, onClose }: { draft: OpenConsole; onClose: () => void }) {
  const { saveOrThrow, rename } = useConsoleActions();
  // The console has a saved version before the dialog of its first save closes.
  const [isFirst] = useState(draft.saved === null);
  if (isFirst) {
    return (
      <FirstSaveDialog
        name={draft.name}
        onSave={async (name, place, message) => {
          rename(draft.id, name);
          await saveOrThrow(draft.id, message, place);
          onClose();
        }}
        onClose={onClose}
      />
    );
  }
  return (
    <SaveDialog
      name={draft.name}
      onSave={async (message) => {
        await saveOrThrow(draft.id, message);
        onClose();
      }}
      onClose={onClose}
    />
  );
}

/** Asks before a long run is cancelled. @param startedAt epoch milliseconds */
export function CancelDialog(props: { startedAt: number; onCancel: () => void; onClose: () => void }) {
  const { startedAt, onCancel, onClose } = props;
  return (
    <CancelQuestion
      startedAt={startedAt}
      onCancel={() => {
        onClose();
        onCancel();
      }}
      onKeep={onClose}
    />
  );
}

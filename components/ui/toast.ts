import type { ExternalToast } from "sonner";
import { later } from "@/lib/platform/browser/load-again";

type ToastOptions = Pick<ExternalToast, "id" | "duration" | "action">;

const loadToasts = later(() => import("sonner"));

/** Long enough to read it and to reach for Undo (docs/develop/design.md, Parts). */
export const TOAST_MS = 8000;

/** The id of the toast that shows the latest message of a subject, until that toast closes. */
const openToasts = new Map<string | number, string | number>();

/**
 * Shows a message, with an undo where there is one. The code that draws it is loaded when it is first needed.
 * @param options.id the subject: a later message about it replaces an earlier one that is still open
 */
export function showToast(text: string, { id: subject, ...options }: ToastOptions = {}): void {
  void loadToasts().then(({ toast }) => {
    if (subject === undefined) return toast(text, options);
    // Sonner loses a message that replaces a closing toast, so the next one gets a toast of its own.
    const forget = ({ id }: { id: string | number }) => {
      if (openToasts.get(subject) === id) openToasts.delete(subject);
    };
    const open = openToasts.get(subject);
    const id = toast(text, {
      ...options,
      ...(open !== undefined && { id: open }),
      onAutoClose: forget,
      onDismiss: forget,
    });
    openToasts.set(subject, id);
  });
}

/** The same for what did not work. */
export function showFailure(text: string): void {
  void loadToasts().then(({ toast }) => toast.error(text));
}

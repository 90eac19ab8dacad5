import type { ExternalToast } from "sonner";
import { later } from "@/lib/platform/browser/load-again";

type ToastOptions = Pick<ExternalToast, "id" | "duration" | "action">;

const loadToasts = later(() => import("sonner"));

/** Time that a toast is shown, in ms: enough to read it and to click Undo (docs/develop/design.md, Parts). */
export const TOAST_MS = 8000;

/** Ids of the toasts by subject: the latest message of each, until its toast closes. */
const openToasts = new Map<string | number, string | number>();

/**
 * Shows a message, with an undo if there is one. Its code is loaded on first use.
 * @param options.id the subject: a later message about it replaces an earlier one that is still open
 */
export function showToast(text: string, { id: subject, ...options }: ToastOptions = {}): void {
  void loadToasts().then(({ toast }) => {
    if (subject === undefined) return toast(text, options);
    // Sonner loses a message that replaces a closing toast, so the next one gets a new toast.
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

/** Shows a failure message. */
export function showFailure(text: string): void {
  void loadToasts().then(({ toast }) => toast.error(text));
}

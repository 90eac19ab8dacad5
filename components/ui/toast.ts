import type { ExternalToast } from "sonner";
import { later } from "@/lib/platform/browser/load-again";

type ToastOptions = Pick<ExternalToast, "id" | "duration" | "action">;

const loadToasts = later(() => import("sonner"));

/** Long enough to read it and to reach for Undo (docs/develop/design.md, Parts). */
export const TOAST_MS = 8000;

/** Says what happened, with an undo where there is one. The part that draws it is loaded when it is first needed. */
export function showToast(text: string, options: ToastOptions = {}): void {
  void loadToasts().then(({ toast }) => toast(text, options));
}

/** The same for what did not work. */
export function showFailure(text: string): void {
  void loadToasts().then(({ toast }) => toast.error(text));
}

import { announce } from "@/components/ui/live-region";
import { showFailure, showToast } from "@/components/ui/toast";

const COPIED_TOAST_MS = 3000;

/**
 * Copies text to the clipboard, also on pages without a secure context, which lack the Clipboard API.
 * @param html the same content for programs that accept rich text; null for none
 * @returns whether it worked
 */
export async function copyText(text: string, html: string | null = null): Promise<boolean> {
  try {
    if (html !== null && navigator.clipboard && typeof ClipboardItem !== "undefined") {
      const toBlob = (part: string, type: string) => new Blob([part], { type });
      const item = new ClipboardItem({
        "text/plain": toBlob(text, "text/plain"),
        "text/html": toBlob(html, "text/html"),
      });
      await navigator.clipboard.write([item]);
      return true;
    }
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch {
    // Rejected without a user gesture or by policy: the older API may still work.
  }
  let isCopied = false;
  const onCopy = (event: ClipboardEvent) => {
    event.clipboardData?.setData("text/plain", text);
    if (html !== null) event.clipboardData?.setData("text/html", html);
    event.preventDefault();
    event.stopImmediatePropagation();
    isCopied = true;
  };
  document.addEventListener("copy", onCopy, true);
  try {
    document.execCommand("copy");
  } finally {
    document.removeEventListener("copy", onCopy, true);
  }
  return isCopied;
}

/** Copies a name, and confirms it. */
export async function copyName(name: string): Promise<void> {
  if (!(await copyText(name))) {
    showFailure(`The browser blocked copying. Copy this name: ${name}`);
    return;
  }
  announce("Name copied");
  showToast(`${name} copied`, { id: "copied", duration: COPIED_TOAST_MS });
}

import { copyText } from "@/components/ui/copy-text";
import { announce } from "@/components/ui/live-region";
import { showFailure, showToast } from "@/components/ui/toast";
import type { Access } from "@/lib/features/folders/schema";

type CopiedLink = { isRun: boolean };

/** Copies the address of an item, or of one of its runs, and says who can open it. */
export async function copyLink(
  link: string,
  { name, access }: { name: string; access: Access },
  { isRun }: CopiedLink = { isRun: false },
): Promise<void> {
  if (!(await copyText(link))) {
    showFailure(`The browser blocked copying. Copy this link: ${link}`);
    return;
  }
  announce("Link copied");
  const whose = isRun ? " Only you and admins can see the run." : "";
  showToast(
    access === "workspace"
      ? `Link to ${name} copied. Everyone in the workspace can open it.${whose}`
      : `Link to ${name} copied. It is private; share it with the workspace first.`,
    { id: "link" },
  );
}

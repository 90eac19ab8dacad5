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
    showFailure(`The browser did not allow copying. The link is ${link}`);
    return;
  }
  announce("The link is copied");
  const whose = isRun ? " You and the admins see the run." : "";
  showToast(
    access === "workspace"
      ? `The link to ${name} is copied. Everybody in the workspace can open it.${whose}`
      : `The link to ${name} is copied. It is private: share it with the workspace before others can open it.`,
    { id: "link" },
  );
}

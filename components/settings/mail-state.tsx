import { CircleCheck, CircleX, Mail } from "lucide-react";
import type { OutboxEntry } from "@/lib/features/workspaces/browser/client";

/** What became of a mail, in a word and a sign. */
export function MailState({ status }: { status: OutboxEntry["status"] }) {
  if (status === "sent") {
    return (
      <span className="st ok">
        <CircleCheck className="s" />
        Sent
      </span>
    );
  }
  if (status === "failed") {
    return (
      <span className="st bad">
        <CircleX className="s" />
        Failed
      </span>
    );
  }
  return (
    <span className="st wait">
      <Mail className="s" />
      Kept here
    </span>
  );
}

import { CircleCheck, CircleX, Mail } from "lucide-react";
import type { OutboxEntry } from "@/lib/platform/mail/schema";

/** Shows the state of a mail as a word and an icon. */
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
      Not sent
    </span>
  );
}

import { Notice } from "@/components/ui/notice";
import type { Reach } from "@/lib/platform/net/exposure";

/** Says who else could create the first account on a server without any. */
export function ReachNotice({ reach }: { reach: Reach }) {
  return <Notice kind="info">{toSentence(reach)}</Notice>;
}

function toSentence(reach: Reach) {
  switch (reach.by) {
    case "machine":
      return "This server has no accounts yet, and only this machine reaches it.";
    case "address":
      return `This server has no accounts yet. Anyone who can reach ${reach.url} can register.`;
    case "network":
      return (
        <>
          This server has no accounts yet. Anyone who can reach this machine can register; starting with{" "}
          <code>HOST=127.0.0.1</code> keeps it to this machine.
        </>
      );
  }
}

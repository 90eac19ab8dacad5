import { Notice } from "@/components/ui/notice";
import type { Reach } from "@/lib/platform/net/exposure";

/** Says who else could create the first account on a server without any. */
export function ReachNotice({ reach }: { reach: Reach }) {
  return <Notice kind="info">{toSentence(reach)}</Notice>;
}

function toSentence(reach: Reach) {
  switch (reach.by) {
    case "machine":
      return "No accounts yet. This server is reachable from this machine only.";
    case "address":
      return `No accounts yet. Anyone who can reach ${reach.url} can register.`;
    case "network":
      return (
        <>
          No accounts yet. Anyone who can reach this machine can register. Set <code>HOST=127.0.0.1</code> to restrict
          access.
        </>
      );
  }
}

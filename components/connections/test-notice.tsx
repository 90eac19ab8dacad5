import { Notice } from "@/components/ui/notice";
import type { TestOutcome } from "@/lib/client/connections";
import { formatDuration } from "@/lib/ui/format";

/** How a test went, in the form. */
export function TestNotice({ outcome }: { outcome: TestOutcome }) {
  if (outcome.ok) {
    return (
      <>
        <Notice kind="good">
          <b className="b6">Connected in {formatDuration(outcome.latencyMs)}.</b>{" "}
          {outcome.serverVersion && <span className="t2">{outcome.serverVersion}.</span>}
        </Notice>
        {outcome.warning && <Notice kind="warn">{outcome.warning}</Notice>}
      </>
    );
  }
  return (
    <Notice kind="bad">
      <b className="b6">Not connected.</b> {outcome.error}
    </Notice>
  );
}

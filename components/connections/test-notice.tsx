import { Notice } from "@/components/ui/notice";
import type { TestOutcome } from "@/lib/client/connections";
import { formatDuration } from "@/lib/ui/format";

type TestNoticeProps = {
  outcome: TestOutcome;
  /** Takes over the key of a tunnel's server that nobody has trusted yet; null for who may not. */
  onTrust: ((hostKeySha256: string) => void) | null;
};

/** How a test went, in the form. */
export function TestNotice({ outcome, onTrust }: TestNoticeProps) {
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
  const { hostKeySha256 } = outcome;
  return (
    <Notice kind={hostKeySha256 === undefined ? "bad" : "warn"}>
      <b className="b6">Not connected.</b> {outcome.error}
      {hostKeySha256 !== undefined && onTrust !== null && (
        <div className="trust">
          <button type="button" className="btn sm" onClick={() => onTrust(hostKeySha256)}>
            I have compared it, trust this key
          </button>
        </div>
      )}
    </Notice>
  );
}

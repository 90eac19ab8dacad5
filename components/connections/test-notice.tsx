import { CircleCheck, CircleX } from "lucide-react";
import { Notice } from "@/components/ui/notice";
import type { TestOutcome } from "@/lib/features/connections/browser/client";
import type { TestStep } from "@/lib/features/connections/schema";
import { formatDuration } from "@/lib/platform/browser/format";

type TestNoticeProps = {
  outcome: TestOutcome;
  /** Accepts the key of an SSH server that is not trusted yet; null if the user may not. */
  onTrust: ((hostKeySha256: string) => void) | null;
  /** Tests again without TLS; null if the user may not. */
  onTurnTlsOff: (() => void) | null;
};

/** Shows the result of a test in the form. */
export function TestNotice({ outcome, onTrust, onTurnTlsOff }: TestNoticeProps) {
  if (outcome.ok) {
    return (
      <>
        <Notice kind="good">
          <b className="b6">Connected in {formatDuration(outcome.latencyMs)}.</b>{" "}
          {outcome.serverVersion && <span className="t2">{outcome.serverVersion}.</span>}
        </Notice>
        {outcome.steps && <TestSteps steps={outcome.steps} failedStep={null} />}
        {outcome.warning && <Notice kind="warn">{outcome.warning}</Notice>}
      </>
    );
  }
  const { hostKeySha256, steps = [], failedStep, supportsTls } = outcome;
  return (
    <>
      <Notice kind={hostKeySha256 === undefined ? "bad" : "warn"}>
        <b className="b6">Connection failed.</b> {outcome.error}
        {hostKeySha256 !== undefined && onTrust !== null && (
          <div className="trust">
            <button type="button" className="btn sm" onClick={() => onTrust(hostKeySha256)}>
              Trust this key
            </button>
          </div>
        )}
        {supportsTls === false && onTurnTlsOff !== null && (
          <div className="trust">
            <button type="button" className="btn sm" onClick={onTurnTlsOff}>
              Turn TLS off and test again
            </button>
          </div>
        )}
      </Notice>
      {failedStep && <TestSteps steps={steps} failedStep={failedStep} />}
    </>
  );
}

const STEP_WORDS: Record<TestStep["name"], string> = {
  tunnel: "Open SSH tunnel",
  reach: "Connect to server",
  tls: "Negotiate TLS",
  sign_in: "Authenticate",
  connect: "Connect and authenticate",
  read: "Read schema",
};

/** Advice for each failed step. The server's message is shown above it. */
const STEP_HELP: Record<TestStep["name"], string> = {
  tunnel: "Check the tunnel's host, port, user and key.",
  reach: "Check the host, port and firewall.",
  tls: "Check the server certificate and the TLS setting.",
  sign_in: "Check the user, password and database, and access from this host.",
  connect: "Check the address, user, password and firewall.",
  read: "Check the user's read permissions.",
};

type TestStepsProps = { steps: TestStep[]; failedStep: TestStep["name"] | null };

/** Lists the steps of a test, the time of each, and the step that failed. */
function TestSteps({ steps, failedStep }: TestStepsProps) {
  const longestMs = Math.max(...steps.map(({ ms }) => ms), 1);
  return (
    <ol className="steps" aria-label="Test steps">
      {steps.map(({ name, ms }) => (
        <li key={name}>
          <CircleCheck className="s" />
          <span>{STEP_WORDS[name]}</span>
          <span className="steps-bar" aria-hidden="true">
            <i style={{ width: `${(ms / longestMs) * 100}%` }} />
          </span>
          <span className="t2 num">{formatDuration(ms)}</span>
        </li>
      ))}
      {failedStep && (
        <li className="failed">
          <CircleX className="s" />
          <span>
            {STEP_WORDS[failedStep]}
            <span className="t2">{STEP_HELP[failedStep]}</span>
          </span>
          <span>Failed</span>
        </li>
      )}
    </ol>
  );
}

"use client";

import { useMutation } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { viewOf } from "@/components/notifications/channels/registry";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { toMessage } from "@/components/ui/to-message";
import { useConnectivity } from "@/components/ui/use-browser";
import { notificationApi } from "@/lib/features/notifications/browser/client";
import type { Trigger } from "@/lib/features/notifications/payload-schema";
import type { Rule, TestAnswer } from "@/lib/features/notifications/schema";

const TRIGGERS = [
  { value: "success", label: "Success" },
  { value: "failure", label: "Failure" },
] as const;

/** Button that sends one message by a saved rule, with its result. */
export function RuleTest({ rule }: { rule: Rule }) {
  const { workspace } = useWorkspace();
  const { isOnline } = useConnectivity();
  const [trigger, setTrigger] = useState<Trigger>(rule.triggers[0] ?? "success");
  const test = useMutation({ mutationFn: () => notificationApi.test(workspace.id, { ruleId: rule.id, trigger }) });
  return (
    <section className="rule-test" aria-label="Test">
      <div className="row rule-test-head">
        <h3 className="flabel grow">Test</h3>
        <Segments label="Test outcome" value={trigger} options={TRIGGERS} onChange={setTrigger} />
        <button
          type="button"
          className="btn sm"
          aria-disabled={test.isPending || !isOnline}
          onClick={() => !test.isPending && isOnline && test.mutate()}
        >
          <Send className="s" />
          {test.isPending ? "Sending" : "Send test"}
        </button>
      </div>
      {test.data && !test.isPending && <TestNotice answer={test.data} rule={rule} />}
      {test.isError && (
        <Notice kind="bad" role="alert">
          {toMessage(test.error)}
        </Notice>
      )}
    </section>
  );
}

function TestNotice({ answer, rule }: { answer: TestAnswer; rule: Rule }) {
  const { acceptedHelp } = viewOf(rule.channelType);
  if (answer.delivered) {
    return (
      <Notice kind="good" role="status">
        <b className="b6">{answer.httpStatus ? `Accepted with ${answer.httpStatus}` : "Accepted"}</b>
        {acceptedHelp !== null && <p className="xs t2">{acceptedHelp}</p>}
      </Notice>
    );
  }
  return (
    <Notice kind="bad" role="alert">
      <b className="b6">{answer.httpStatus ? `Rejected with ${answer.httpStatus}` : "Not delivered"}</b>
      <p className="xs">{answer.error}</p>
    </Notice>
  );
}

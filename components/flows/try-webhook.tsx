"use client";

import { useState } from "react";
import { CodeBox } from "@/components/ui/code-box";
import { CopyButton } from "@/components/ui/copy-button";
import { Segments } from "@/components/ui/segments";
import {
  toWebhookExample,
  WEBHOOK_LANGUAGES,
  type WebhookLanguage,
} from "@/lib/features/flows/browser/webhook-examples";

/**
 * Example of signing and sending an event.
 * @param url null if the reader may not see the address
 */
export function TryWebhook({ url }: { url: string | null }) {
  const [language, setLanguage] = useState<WebhookLanguage>("curl");
  const text = toWebhookExample(language, url ?? "https://.../api/webhooks/...");
  return (
    <section className="card hook-try" aria-labelledby="try">
      <div className="row preview-head">
        <h2 id="try">Try it</h2>
        <span className="grow" />
        <Segments label="Language" value={language} options={WEBHOOK_LANGUAGES} onChange={setLanguage} />
        <CopyButton text={text} name="Copy example" className="btn ghost sm" />
      </div>
      <CodeBox label="Sign and send an event">{text}</CodeBox>
      <p className="xs t3 preview-foot">Set SECRET to the signing secret. Sign the exact bytes you send.</p>
    </section>
  );
}

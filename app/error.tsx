"use client";

import { WarningIcon } from "@/components/ui/icons";
import { LonePage } from "@/components/ui/lone-page";

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <LonePage
      icon={<WarningIcon />}
      title="Something went wrong"
      text={`Your drafts are kept. Reload the page, or contact your administrator${error.digest ? ` with error ID ${error.digest}` : ""}.`}
    >
      <button type="button" className="btn primary" onClick={reset}>
        Reload page
      </button>
    </LonePage>
  );
}

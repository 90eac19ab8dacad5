import type { Metadata } from "next";
import { LockIcon } from "@/components/ui/icons";
import { LateBoot } from "@/components/ui/late-boot";
import { LonePage } from "@/components/ui/lone-page";

export const metadata: Metadata = { title: "Page not found" };

export default function NotFound() {
  return (
    <LonePage
      icon={<LockIcon />}
      title="Page not found"
      text="It may be private or deleted. Ask the sender to share it."
    >
      <LateBoot />
      {/* Every page includes this component, so it loads nothing that a page may not need. */}
      <a className="btn" href="/">
        Back to workspace
      </a>
    </LonePage>
  );
}

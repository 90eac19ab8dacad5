import type { Metadata } from "next";
import { LockIcon } from "@/components/ui/icons";
import { LateBoot } from "@/components/ui/late-boot";
import { LonePage } from "@/components/ui/lone-page";

export const metadata: Metadata = { title: "Cannot be opened" };

export default function NotFound() {
  return (
    <LonePage
      icon={<LockIcon />}
      title="You cannot open this"
      text="It is private, was moved, or never existed. Ask the person who sent the link to share it with your workspace."
    >
      <LateBoot />
      {/* Every page includes this component, so it loads nothing that a page may not need. */}
      <a className="btn" href="/">
        Back to your workspace
      </a>
    </LonePage>
  );
}

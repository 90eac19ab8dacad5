import { Link2Off } from "lucide-react";
import type { Metadata } from "next";
import { LateBoot } from "@/components/ui/late-boot";
import { LonePage } from "@/components/ui/lone-page";

export const metadata: Metadata = { title: "Link not available" };

export default function NothingShared() {
  return (
    <LonePage
      icon={<Link2Off />}
      title="Link not available"
      text="It expired, was revoked or never existed. Ask for a new one."
    >
      <LateBoot />
    </LonePage>
  );
}

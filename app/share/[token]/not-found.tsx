import { Link2Off } from "lucide-react";
import type { Metadata } from "next";
import { LateBoot } from "@/components/ui/late-boot";
import { LonePage } from "@/components/ui/lone-page";

export const metadata: Metadata = { title: "Nothing at this link" };

export default function NothingShared() {
  return (
    <LonePage
      icon={<Link2Off />}
      title="There is nothing at this link"
      text="It has ended, was taken back, or never was. Ask the person who sent it for a new one."
    >
      <LateBoot />
    </LonePage>
  );
}

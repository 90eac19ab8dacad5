"use client";

import { MessageSquare } from "lucide-react";
import { Tip } from "@/components/ui/tip";
import { useIsAwake } from "@/components/ui/use-browser";
import { updateFrame, useFrame } from "@/components/workspace/use-frame";
import { useWorkspace } from "@/components/workspace/workspace-context";

/** Shows the agent's panel, or puts it away. */
export function AgentToggle() {
  const { agent } = useWorkspace();
  const { frame } = useFrame();
  const isOpen = useIsAwake() && frame.agentOpen;
  return (
    <Tip label="Agent" keys="mod+j" side="right">
      <button
        type="button"
        className="rail-agent"
        aria-label="Agent"
        aria-expanded={isOpen}
        aria-controls={isOpen ? "agent" : undefined}
        onClick={() => (isOpen ? updateFrame({ agentOpen: false }) : agent.open())}
      >
        <MessageSquare />
      </button>
    </Tip>
  );
}

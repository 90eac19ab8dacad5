"use client";

import { MessageSquare } from "lucide-react";
import { setAgentOpen, useIsAgentOpen } from "@/components/agent/use-agent-panel";
import { useIsSideTaken } from "@/components/layout/side-slot";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Tip } from "@/components/ui/tip";
import { useIsAwake } from "@/components/ui/use-browser";

/** Shows or hides the agent's panel. */
export function AgentToggle() {
  const { agent } = useWorkspace();
  const isAgentOpen = useIsAgentOpen();
  const isOpen = useIsAwake() && isAgentOpen;
  const isTaken = useIsSideTaken();
  return (
    <Tip label="Agent" keys="mod+j" side="right">
      <button
        type="button"
        className="rail-agent"
        aria-label="Agent"
        aria-expanded={isOpen && !isTaken}
        // While another panel is shown in its place, the agent's is hidden.
        aria-controls={isOpen && !isTaken ? "agent" : undefined}
        onClick={() => (isOpen ? setAgentOpen(false) : agent.open())}
      >
        <MessageSquare />
      </button>
    </Tip>
  );
}

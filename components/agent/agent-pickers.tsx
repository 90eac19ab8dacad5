"use client";

import { ChevronDown } from "lucide-react";
import { useAgentChoices } from "@/components/agent/use-agent";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Menu, MenuChoice } from "@/components/ui/menu";

/** Menus for the mode and the model of the next message. */
export function AgentPickers() {
  const { agent } = useWorkspace();
  const { models, modes, model, mode } = useAgentChoices();
  return (
    <>
      {mode && (
        <Menu
          side="top"
          trigger={
            <button type="button" className="btn ghost sm" aria-label={`Mode: ${mode.name}`}>
              {mode.name}
              <ChevronDown className="xs" />
            </button>
          }
        >
          <MenuChoice
            label="Mode"
            value={mode.id}
            onChange={(agentId) => agent.change({ agentId })}
            options={modes.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Menu>
      )}
      {model && (
        <Menu
          side="top"
          trigger={
            <button type="button" className="btn ghost sm model-pick" aria-label={`Model: ${model.name}`}>
              <span className="trunc">{model.name}</span>
              <ChevronDown className="xs" />
            </button>
          }
        >
          <MenuChoice
            label="Model"
            value={model.id}
            onChange={(modelId) => agent.change({ modelId })}
            options={models.map(({ id, name, provider }) => ({ value: id, label: name, end: provider }))}
          />
        </Menu>
      )}
    </>
  );
}

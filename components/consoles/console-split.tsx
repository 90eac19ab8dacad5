"use client";

import { type ReactNode, useRef } from "react";
import { Group, Panel, type PanelImperativeHandle, Separator } from "react-resizable-panels";

/** Default shares of the height (docs/develop/design.md, Layout), in percent. */
const SHARE = { editor: "45", result: "55" };
/** Share from which the result counts as maximised. */
const MAXIMISED_PERCENT = 80;

type ConsoleSplitProps = { editor: ReactNode; strip: ReactNode; result: ReactNode };

/**
 * Editor above, result below, and the run bar between them, whose line is the resize handle. A double click maximises
 * the result.
 */
export function ConsoleSplit({ editor, strip, result }: ConsoleSplitProps) {
  const panelRef = useRef<PanelImperativeHandle>(null);
  const toggle = () => {
    const panel = panelRef.current;
    if (panel) panel.resize(panel.getSize().asPercentage > MAXIMISED_PERCENT ? SHARE.result : "100");
  };
  return (
    <Group orientation="vertical" className="console-split" id="console-split">
      <Panel id="editor" defaultSize={SHARE.editor} minSize="80px" className="split-panel">
        {editor}
      </Panel>
      <Separator
        className="race-grip"
        id="race-grip"
        aria-label="Editor height"
        disableDoubleClick
        onDoubleClick={toggle}
      />
      <Panel
        id="result"
        defaultSize={SHARE.result}
        minSize="42px"
        panelRef={panelRef}
        className="split-panel"
        // The run bar is drawn above the panel, over the handle.
        style={{ overflow: "visible" }}
      >
        {strip}
        {result}
      </Panel>
    </Group>
  );
}

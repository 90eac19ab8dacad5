"use client";

import { FileUp } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { setPendingFile } from "@/components/connections/import/pending-file";
import { useWorkspace } from "@/components/layout/workspace-context";
import "./window-drop.css";

/** Takes a file that is dropped anywhere in the window, unless an element below takes it, and opens the import page. */
export function WindowDrop() {
  const { workspace } = useWorkspace();
  const router = useRouter();
  const path = usePathname();
  const [isOver, setIsOver] = useState(false);
  const target = `/w/${workspace.slug}/connections/import`;
  useEffect(() => {
    let depth = 0;
    const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
    const end = () => {
      depth = 0;
      setIsOver(false);
    };
    const onEnter = (event: DragEvent) => {
      if (!hasFile(event)) return;
      depth += 1;
      setIsOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (!hasFile(event)) return;
      depth -= 1;
      if (depth <= 0) end();
    };
    const onOver = (event: DragEvent) => {
      // Otherwise the browser would open the file in place of the page.
      if (hasFile(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      end();
      const file = event.dataTransfer?.files[0];
      // The upload of a database file is one of those that take the file themselves.
      if (!file || event.defaultPrevented) return;
      event.preventDefault();
      setPendingFile(file);
      if (path !== target) router.push(target);
    };
    const listeners = { dragenter: onEnter, dragleave: onLeave, dragover: onOver, drop: onDrop } as const;
    for (const [name, listener] of Object.entries(listeners)) window.addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) {
        window.removeEventListener(name, listener as EventListener);
      }
    };
  }, [router, path, target]);
  if (!isOver) return null;
  return (
    <div className="drop-cover" aria-hidden="true">
      <div className="drop-note">
        <FileUp />
        Drop to import
      </div>
    </div>
  );
}

import type { LucideIcon } from "lucide-react";

/** Something that can be done now. `keys` as key labels are written; `detail` says what it is done to. */
export type Command = {
  id: string;
  name: string;
  detail?: string;
  icon: LucideIcon;
  keys?: string;
  run: () => void;
};

/** What the views that are shown can do. Each view lists its commands while it is there. */
export class CommandStore {
  #byView = new Map<string, Command[]>();

  /** @returns how to take them away again */
  offer(view: string, commands: Command[]): () => void {
    this.#byView.set(view, commands);
    return () => {
      if (this.#byView.get(view) === commands) this.#byView.delete(view);
    };
  }

  readAll(): Command[] {
    return [...this.#byView.values()].flat();
  }

  /** Runs the command of this id. @returns whether there is one */
  run(id: string): boolean {
    const command = this.readAll().find((each) => each.id === id);
    command?.run();
    return command !== undefined;
  }
}

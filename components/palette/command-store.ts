import type { LucideIcon } from "lucide-react";

/** An available command. `keys` are written as key labels; `detail` names its target. */
export type Command = {
  id: string;
  name: string;
  detail?: string;
  icon: LucideIcon;
  keys?: string;
  run: () => void;
};

/** Commands of the mounted views. Each view registers its commands while it is mounted. */
export class CommandStore {
  #byView = new Map<string, Command[]>();

  /** @returns a function that unregisters them */
  offer(view: string, commands: Command[]): () => void {
    this.#byView.set(view, commands);
    return () => {
      if (this.#byView.get(view) === commands) this.#byView.delete(view);
    };
  }

  readAll(): Command[] {
    return [...this.#byView.values()].flat();
  }

  /** Runs a command by id. @returns whether it exists */
  run(id: string): boolean {
    const command = this.readAll().find((each) => each.id === id);
    command?.run();
    return command !== undefined;
  }
}

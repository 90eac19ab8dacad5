/** Every shortcut that has something to act on, for the list behind "?". `keys` as key labels are written. */
export type Shortcut = { keys: string; does: string };
export const SHORTCUTS: { group: string; items: Shortcut[] }[] = [
  {
    group: "Console",
    items: [
      { keys: "mod+enter", does: "Run the statement at the cursor, or the selection" },
      { keys: "mod+shift+enter", does: "Run all statements, one after the other" },
      { keys: "esc", does: "Close the top layer, else cancel the run" },
      { keys: "mod+s", does: "Save: a commit" },
      { keys: "mod+shift+s", does: "Save with a message" },
      { keys: "shift+alt+f", does: "Format the query, or the selection" },
      { keys: "mod+/", does: "Turn lines into comments, or back" },
      { keys: "mod+f", does: "Find and replace in the editor" },
      { keys: "esc Tab", does: "Leave the editor, where Tab indents" },
    ],
  },
  {
    group: "Result",
    items: [
      { keys: "enter", does: "Look at one cell; on a column's head, sort by it" },
      { keys: "mod+c", does: "Copy the selected cells" },
      { keys: "mod+a", does: "Select all cells" },
      { keys: "Space", does: "Select the row" },
      { keys: "shift+Arrows", does: "Extend the selection" },
      { keys: "alt+shift+Arrows", does: "Make the column narrower or wider" },
      { keys: "mod+Arrows", does: "Go to the first or last cell" },
    ],
  },
  {
    group: "Getting around",
    items: [
      { keys: "mod+k", does: "Search or jump to anything" },
      { keys: "mod+p", does: "Go to a console, a table or a connection" },
      { keys: "mod+shift+p", does: "Do something: only actions" },
      { keys: "alt+1", does: "Tab by number, up to 9" },
      { keys: "mod+b", does: "Show or hide the explorer" },
      { keys: "mod+j", does: "Ask the agent, or put its panel away" },
      { keys: "F6", does: "Next region; with Shift the previous one" },
      { keys: "g c", does: "Go to consoles" },
      { keys: "g n", does: "Go to connections" },
      { keys: "g f", does: "Go to flows" },
      { keys: "g s", does: "Go to settings" },
      { keys: "c", does: "New here: a console, a connection, or a flow" },
      { keys: "F2", does: "Rename the console in the list or its tab" },
      { keys: "shift+F10", does: "Menu of a row in the list: move, share, duplicate, delete" },
      { keys: "?", does: "This list" },
    ],
  },
];

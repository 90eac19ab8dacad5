/** What the frame of an app may do: its element says so, and so does each answer that it loads. */
export const FRAME_SANDBOX = "allow-scripts allow-forms allow-downloads allow-modals";

/** Sandbox flags of an app's frame, set on its element and in each response that it loads. */
export const FRAME_SANDBOX = "allow-scripts allow-forms allow-downloads allow-modals";

import { ensureService, stopServices } from "../service.ts";

/**
 * A whole server for tests of several on one file: looks after the service of the given socket until SIGTERM.
 * Arguments: program, data folder, socket. Sends "up" once the service answers.
 */
const [entry = "", dataDir = "", socketPath = ""] = process.argv.slice(2);
const service = ensureService({ name: "stand-in", entry, args: [dataDir, socketPath], socketPath });
await service.whenUp(10_000);
process.send?.("up");
process.on("SIGTERM", () => void stopServices().then(() => process.exit(0)));
process.on("disconnect", () => void stopServices().then(() => process.exit(0)));

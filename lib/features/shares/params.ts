import { z } from "zod";
import { shareToken } from "./schema";

/** The path of one share. */
export const shareParams = z.object({ token: shareToken });

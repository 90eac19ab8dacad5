import { z } from "zod";
import { shareToken } from "./schema";

/** Path parameters of one share. */
export const shareParams = z.object({ token: shareToken });

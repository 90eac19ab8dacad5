import { z } from "zod";
import { ROLES } from "./roles";

export const role = z.enum(ROLES);

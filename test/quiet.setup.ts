import { installInputMessages } from "@/lib/platform/api/input-messages";
import { log } from "@/lib/platform/log";

// Tests provoke failures on purpose; their logs would hide the report.
log.level = process.env.TEST_LOG_LEVEL ?? "silent";

// As a server does at its start.
installInputMessages();

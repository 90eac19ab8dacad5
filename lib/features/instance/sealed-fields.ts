import "server-only";

// One import for each domain with encrypted values: it registers their fields.
import "@/lib/features/connections/sealed-fields";
import "@/lib/features/flows/sealed-fields";
import "@/lib/platform/mail/account-mail";
import "@/lib/features/notifications/sealed-fields";
import "@/lib/features/shares/sealed-fields";

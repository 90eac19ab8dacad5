import "server-only";

// One line for each domain that seals something: the import registers its fields.
import "@/lib/features/connections/sealed-fields";
import "@/lib/features/flows/sealed-fields";
import "@/lib/platform/mail/account-mail";
import "@/lib/features/notifications/sealed-fields";
import "@/lib/features/shares/sealed-fields";

export { getNothing as GET, getNothing as POST } from "@/lib/git/service";

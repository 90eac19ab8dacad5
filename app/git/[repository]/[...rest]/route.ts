export { getNothing as GET, getNothing as POST } from "@/lib/features/repository/git/service";

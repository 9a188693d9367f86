/** The message of a thrown error; for any other thrown value, its string form. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

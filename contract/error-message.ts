/** The message of a thrown value; of one that is no error, its text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

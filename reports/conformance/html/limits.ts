/** What is embedded at most. A page is for reading; programs have the files. */
export const limits = {
  /** Exchanges of a broken row, and of any other. */
  ofViolation: 4,
  ofOther: 1,
  bodyCharacters: 4_000,
  bodyLines: 120,
  /** Of all exchanges together, in bytes of HTML. */
  pageBytes: 8_000_000,
} as const

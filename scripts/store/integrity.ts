import { DatabaseSync } from 'node:sqlite'

/** Everything but `ok` in the result of PRAGMA integrity_check. */
export function integrityProblems(file: string): readonly string[] {
  const database = new DatabaseSync(file)
  try {
    const rows = database.prepare('PRAGMA integrity_check').all()
    return rows.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok')
  } finally {
    database.close()
  }
}

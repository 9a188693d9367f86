/** Writes fixtures/documents/guestbook, the second seeded knowledge base of the reference server. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { guestbookPages } from './guestbook/pages.ts'

const folder = new URL('../fixtures/documents/guestbook/', import.meta.url)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const { filename, text } of await guestbookPages()) {
  writeFileSync(new URL(filename, folder), text)
}

/** Copies the files that a browser reads to the compiled modules: `tsc` leaves them out. */
import { cpSync } from 'node:fs'

for (const folder of ['reports/html/browser', 'harness/cli/ui/page']) {
  cpSync(folder, `dist/${folder}`, { recursive: true })
}

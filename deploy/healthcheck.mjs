/** Health check of the image: asks `chatgen serve` for /healthz; any other command is healthy. */
import { readFileSync } from 'node:fs'

const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0')
if (words.includes('serve')) {
  const { ok } = await fetch(`http://127.0.0.1:${portOf(words)}/healthz`)
  process.exitCode = ok ? 0 : 1
}

function portOf(args) {
  const at = args.indexOf('--port')
  const inline = args.find((word) => word.startsWith('--port='))
  const given = at === -1 ? inline?.slice('--port='.length) : args[at + 1]
  return given ?? process.env['CHATGEN_PORT'] ?? '4010'
}

import { existsSync } from 'node:fs'
import { messageOf } from '../../../contract/error-message.ts'
import { ConfigurationError } from '../../conformance/errors.ts'
import { readInputFile } from '../../conformance/input-file.ts'
import type { Shard } from '../values.ts'

/**
 * URL to which a report is uploaded: `--upload` itself, or of a file the line of the shard, counted from 0.
 * @throws ConfigurationError if there is none
 */
export function uploadUrl(upload: string, shard: Shard | undefined): URL {
  const lines = existsSync(upload) ? linesOf(upload) : [upload]
  const index = lines.length === 1 ? 0 : (shard?.index ?? 0)
  const text = lines[index]
  if (text === undefined || !URL.canParse(text) || !/^https?:/.test(text)) {
    throw new ConfigurationError([
      `--upload: ${upload} has no URL for shard ${shard?.index ?? 0}: pass a URL, or a file with one for each shard`,
    ])
  }
  return new URL(text)
}

function linesOf(file: string): string[] {
  try {
    const lines = readInputFile(file).split('\n')
    return lines.map((line) => line.trim()).filter((line) => line !== '')
  } catch (error) {
    throw new ConfigurationError([`--upload: cannot read the file: ${messageOf(error)}`])
  }
}

const timeoutMs = 60_000

/** Sends a report by PUT, as presigned URLs of object stores expect it. @throws ConfigurationError */
export async function uploadReport(url: URL, text: string): Promise<void> {
  // A presigned URL grants access: its query is in no message.
  const place = `${url.origin}${url.pathname}`
  const failed = (reason: string) =>
    new ConfigurationError([`the report could not be uploaded to ${place}: ${reason}`])
  try {
    const response = await fetch(url, {
      method: 'PUT',
      body: text,
      signal: AbortSignal.timeout(timeoutMs),
    })
    await response.arrayBuffer()
    if (!response.ok) throw failed(`status ${response.status}`)
  } catch (error) {
    if (error instanceof ConfigurationError) throw error
    throw failed(messageOf(error))
  }
}

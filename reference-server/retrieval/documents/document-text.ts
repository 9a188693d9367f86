/** Uploads as text: plain text, Markdown, HTML, CSV and PDF. */

import { messageOf } from '../../../contract/error-message.ts'
import { csvText } from './csv.ts'
import { htmlText } from './html.ts'

/**
 * Text of an upload for a model or an index; undefined if it has none.
 * @throws BrokenPdfError
 */
export async function uploadText(
  filename: string,
  contentType: string,
  bytes: Uint8Array,
): Promise<string | undefined> {
  const isPdf = extension(filename) === 'pdf' || subtype(contentType) === 'pdf'
  if (!isPdf) return documentText(filename, contentType, bytes)
  return bytes.length === 0 ? '' : pdfText(bytes)
}

/** Text of files that are text themselves. */
export function documentText(
  filename: string,
  contentType: string,
  bytes: Uint8Array,
): string | undefined {
  const format = formats.get(extension(filename)) ?? formats.get(subtype(contentType))
  const text = format === undefined ? undefined : decode(bytes)
  return text === undefined ? undefined : format?.(text)
}

/** The extensions that are understood, for messages. */
export const readableFormats = ['txt', 'md', 'html', 'csv', 'pdf'] as const

const asItIs = (text: string): string => text

const formats = new Map<string, (text: string) => string>([
  ['txt', asItIs],
  ['plain', asItIs],
  ['md', asItIs],
  ['markdown', asItIs],
  ['html', htmlText],
  ['htm', htmlText],
  ['csv', csvText],
])

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Bytes that are no UTF-8, or hold a zero byte, are no text whatever their name says. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function extension(filename: string): string {
  return /\.([a-z]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? ''
}

function subtype(contentType: string): string {
  return /^\w+\/([\w.+-]+)/.exec(contentType)?.[1]?.toLowerCase() ?? ''
}

/** A file of the type PDF that cannot be read; the message says why. */
export class BrokenPdfError extends Error {
  override readonly name = 'BrokenPdfError'
}

/**
 * The text of all pages, a paragraph each; empty if the pages are pictures.
 * @throws BrokenPdfError if it is none, is cut, or is protected by a password
 */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  const { extractText, getDocumentProxy } = await import('unpdf')
  try {
    // The library keeps what it is given, and prints its warnings unless it is told not to.
    const document = await getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 })
    try {
      const { text } = await extractText(document, { mergePages: false })
      return text.join('\n\n')
    } finally {
      await document.loadingTask.destroy()
    }
  } catch (error) {
    throw new BrokenPdfError(messageOf(error))
  }
}

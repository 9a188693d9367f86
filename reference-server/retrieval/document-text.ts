/** Uploads as text: plain text, Markdown, HTML, CSV and PDF. */
import { messageOf } from '../../contract/text.ts'

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

/** The supported extensions, for messages. */
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

/** Bytes that are not UTF-8, or contain a zero byte, are not text, regardless of their name. */
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
 * @throws BrokenPdfError if it is not a PDF, is truncated, or is protected by a password
 */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  const { extractText, getDocumentProxy } = await import('unpdf')
  try {
    // The library keeps the array that it receives, and prints warnings by default.
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

/** CSV as text: a line per row, each value with the name of its column, so that a row is self-contained. */

export function csvText(csv: string): string {
  const [header = [], ...rows] = readRows(csv)
  if (rows.length === 0) return header.join(', ')
  return rows
    .map((row) => row.map((value, at) => (header[at] ? `${header[at]}: ${value}` : value)))
    .map((labelled) => `${labelled.join('; ')}.`)
    .join('\n\n')
}

/** A field and its end; text between the closing quote and the next comma is invalid, but is kept. */
const csvField = /("(?:[^"]+|"")*"?[^,\r\n]*|[^,\r\n]*)(,|\r\n?|\n|$)/g

/** RFC 4180: quoted fields may hold commas, line ends and doubled quotes. */
function readRows(csv: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, field = '', end] of csv.matchAll(csvField)) {
    const [, quoted = '', rest = field] = /^"((?:[^"]+|"")*)"?(.*)$/s.exec(field) ?? []
    row.push((quoted.replaceAll('""', '"') + rest).trim())
    if (end === ',') continue
    if (row.some((value) => value !== '')) rows.push(row)
    row = []
  }
  return rows
}

/** HTML as text: headings, paragraphs and list items on separate lines, without the rest. */

export function htmlText(html: string): string {
  return html
    .replace(hidden, '')
    .replace(/<h[1-6][^<>]*>/gi, '\n\n# ')
    .replace(/<\/?(?:p|div|section|article|ul|ol|table|h[1-6]|title|body|head)[^<>]*>/gi, '\n\n')
    .replace(/<(?:br|li|tr|dt|dd)[^<>]*>/gi, '\n')
    .replace(/<[/!a-z][^<>]*>/gi, ' ')
    .replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/gi, (entity, name: string) =>
      character(name, entity),
    )
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Parts that no reader sees; without an end, they last to the end of the text. */
const hidden = /<!--.*?(?:-->|$)|<(script|style|title).*?(?:<\/\1>|$)/gis

const named = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
])

function character(name: string, entity: string): string {
  if (!name.startsWith('#')) return named.get(name.toLowerCase()) ?? entity
  const hexadecimal = /^#x/i.test(name)
  const code = Number.parseInt(name.slice(hexadecimal ? 2 : 1), hexadecimal ? 16 : 10)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity
}

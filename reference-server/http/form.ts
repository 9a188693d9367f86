/** multipart/form-data with one file in a part of any name (section 4.3, prefix /attachment). */
import type { IncomingMessage } from 'node:http'
import type { BusboyFileStream, BusboyHeaders, BusboyInstance } from '@fastify/busboy'
import { messageOf } from '../../contract/text.ts'
import type { Call, UploadedFile } from './call.ts'
import { ApiError } from './errors.ts'

/** @throws ApiError 400 for a form without a file */
export function uploadedFile({ file }: Call): UploadedFile {
  if (file === undefined) throw unfit('The form holds no file')
  return file
}

/**
 * The fields as the body, and the file if there is one.
 *
 * @throws ApiError 400 for several files or an invalid form; 413 for a larger file; 415 for another
 * media type
 */
export async function readForm(
  request: IncomingMessage,
  fileSize: number,
): Promise<Pick<Call, 'body' | 'file'>> {
  const { headers } = request
  if (!/^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    throw new ApiError(415, 'The body must be multipart/form-data', 'unsupported_media_type')
  }
  // An empty body is an empty form, even without a boundary.
  if (Number(headers['content-length'] ?? 1) === 0) {
    return { body: {}, file: undefined }
  }
  // The library is loaded with the first form.
  const { Busboy } = await import('@fastify/busboy')
  try {
    const own = { headers: headers as BusboyHeaders, limits: { ...limits, fileSize } }
    return await readParts(request, fileSize, new Busboy(own))
  } catch (error) {
    throw error instanceof ApiError ? error : unfit(`The form cannot be read: ${messageOf(error)}`)
  }
}

const limits = { files: 10, fields: 20, parts: 30, fieldNameSize: 100, fieldSize: 64 * 1024 }

function readParts(
  request: IncomingMessage,
  fileSize: number,
  parser: BusboyInstance,
): Promise<Pick<Call, 'body' | 'file'>> {
  const fields = new Map<string, unknown>()
  let file: Promise<UploadedFile> | undefined
  return new Promise((resolve, reject) => {
    const refuse = (message: string) => reject(unfit(message))
    parser.on('field', (name, value, _nameTruncated, valueTruncated) => {
      if (valueTruncated) refuse(`The field ${name} is too long`)
      fields.set(name, value)
    })
    parser.on('file', (_name, stream, filename, _encoding, contentType) => {
      if (file !== undefined) {
        stream.on('error', () => {}).resume()
        refuse('An upload holds one file')
        return
      }
      const tooLarge = `A file may have at most ${fileSize} bytes`
      stream.on('limit', () => reject(new ApiError(413, tooLarge, 'file_too_large')))
      file = bytesOf(stream).then((bytes) => ({
        filename: plainName(filename),
        contentType,
        bytes,
      }))
      file.catch(reject)
    })
    for (const kind of ['parts', 'files', 'fields']) {
      parser.on(`${kind}Limit`, () => refuse(`The form has too many ${kind}`))
    }
    parser.on('error', reject)
    parser.on('finish', () => {
      Promise.resolve(file).then((read) => {
        resolve({ body: Object.fromEntries(fields), file: read })
      }, reject)
    })
    request.once('close', () => {
      if (!request.complete) refuse('The form ends early')
    })
    request.pipe(parser)
  })
}

async function bytesOf(stream: BusboyFileStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const escaped: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' }

/** Forms escape only quotes and line ends in a name, in this way. */
function plainName(filename = ''): string {
  const name = filename.replace(/%(?:22|0D|0A)/g, (code) => escaped[code] ?? code)
  return name === '' ? 'unnamed' : name
}

function unfit(message: string): ApiError {
  return new ApiError(400, message, 'invalid_form', 'file')
}

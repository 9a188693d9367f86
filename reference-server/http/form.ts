/** multipart/form-data with one file, whatever its part is named (section 4.3, prefix /attachment). */
import type { IncomingMessage } from 'node:http'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Call, UploadedFile } from './call.ts'
import { ApiError } from './errors.ts'

export async function acceptForms(app: FastifyInstance): Promise<void> {
  await app.register(multipart)
}

/** @throws ApiError 400 for a form without a file */
export function uploadedFile({ file }: Call): UploadedFile {
  if (file === undefined) throw unfit('The form holds no file')
  return file
}

/**
 * The fields as the body, and the file if there is one.
 *
 * @throws ApiError 400 for several files or for what is no form; 413 for a larger file; 415 for another
 * media type
 */
export async function readForm(
  request: FastifyRequest,
  fileSize: number,
): Promise<Pick<Call, 'body' | 'file'>> {
  if (!request.isMultipart()) return withoutForm(request)
  try {
    return await readParts(request, fileSize)
  } catch (error) {
    await drop(request.raw)
    throw refusal(error, fileSize)
  }
}

const limits = { files: 10, fields: 20, parts: 30, fieldNameSize: 100, fieldSize: 64 * 1024 }

async function readParts(
  request: FastifyRequest,
  fileSize: number,
): Promise<Pick<Call, 'body' | 'file'>> {
  const fields = new Map<string, unknown>()
  let file: UploadedFile | undefined
  for await (const part of request.parts({ limits: { ...limits, fileSize } })) {
    if (part.type === 'field') {
      if (part.valueTruncated === true) throw unfit(`The field ${part.fieldname} is too long`)
      fields.set(part.fieldname, part.value)
    } else if (file === undefined) {
      const { filename, mimetype: contentType } = part
      file = { filename: plainName(filename), contentType, bytes: await part.toBuffer() }
    } else {
      part.file.resume()
      throw unfit('An upload holds one file')
    }
  }
  return { body: Object.fromEntries(fields), file }
}

const maxDroppedBytes = 64 * 1024 * 1024

/** A client that is still sending would take an early end of the connection for a broken one. */
function drop(body: IncomingMessage): Promise<void> {
  body.unpipe()
  if (body.readableEnded || body.destroyed) return Promise.resolve()
  let left = maxDroppedBytes
  return new Promise((resolve) => {
    body.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) resolve()
    })
    for (const end of ['end', 'close', 'error']) body.once(end, () => resolve())
    body.resume()
  })
}

const escaped: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' }

/** Forms write a quote and line ends in a name in this way, and nothing else. */
function plainName(filename = ''): string {
  const name = filename.replace(/%(?:22|0D|0A)/g, (code) => escaped[code] ?? code)
  return name === '' ? 'unnamed' : name
}

function refusal(error: unknown, fileSize: number): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Error && 'code' in error && error.code === 'FST_REQ_FILE_TOO_LARGE') {
    return new ApiError(413, `A file may have at most ${fileSize} bytes`, {
      code: 'file_too_large',
    })
  }
  return unfit(`The form cannot be read: ${error instanceof Error ? error.message : 'unknown'}`)
}

/** A body of no bytes is never given to a parser, whatever its type is said to be. */
function withoutForm({ headers }: FastifyRequest): Pick<Call, 'body' | 'file'> {
  if (/^multipart\/form-data/i.test(headers['content-type'] ?? '')) {
    return { body: {}, file: undefined }
  }
  throw new ApiError(415, 'The body must be multipart/form-data', {
    code: 'unsupported_media_type',
  })
}

function unfit(message: string): ApiError {
  return new ApiError(400, message, { code: 'invalid_form', param: 'file' })
}

/** Bodies of requests: JSON in strict UTF-8 with limited nesting, or a form with a file. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BusboyHeaders, BusboyInstance } from '@fastify/busboy'
import { isDeeperThan } from '../../contract/json.ts'
import { messageOf } from '../../contract/text.ts'
import type { Call, Route, UploadedFile } from './call.ts'
import { ApiError } from './errors.ts'

type Body = Pick<Call, 'body' | 'file'>

/**
 * The body as its route reads it.
 *
 * @throws ApiError 400, 413 or 415, after the client has sent the rest of the body
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { accepts }: Pick<Route, 'accepts'>,
  uploadLimitBytes: number,
): Promise<Body> {
  try {
    if (accepts === 'form') return await readForm(request, uploadLimitBytes)
    return { body: await readJson(request), file: undefined }
  } catch (error) {
    const isRead = await drop(request)
    response.shouldKeepAlive &&= isRead
    throw error
  }
}

const jsonLimitBytes = 4 * 1024 * 1024

async function readJson(request: IncomingMessage): Promise<unknown> {
  const { headers, method } = request
  if (method === 'GET' || method === 'HEAD') return undefined
  const type = headers['content-type']
  const length = Number(headers['content-length'] ?? 0)
  if (type === undefined && length === 0 && headers['transfer-encoding'] === undefined) {
    return undefined
  }
  if (!/^application\/json\s*(;|$)/i.test(type ?? '')) {
    throw new ApiError(415, 'The body must be application/json', 'unsupported_media_type')
  }
  if (length > jsonLimitBytes) throw tooLarge()
  return parseJson(await collect(request))
}

/** Rejects with an ApiError if the body is too large or incomplete. */
function collect(request: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const read = (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= jsonLimitBytes) return
      settle()
      reject(tooLarge())
    }
    const end = () => {
      settle()
      const [chunk] = chunks
      resolve(chunks.length === 1 && chunk ? chunk : Buffer.concat(chunks))
    }
    const fail = () => {
      settle()
      reject(new ApiError(400, 'The body is truncated', 'bad_request'))
    }
    // Remaining listeners would keep the body in memory while the answer is open.
    const settle = () => {
      request.off('data', read).off('end', end).off('error', fail).off('close', fail)
    }
    request.on('data', read).on('end', end).on('error', fail).on('close', fail)
  })
}

const maxDroppedBytes = 64 * 1024 * 1024

/**
 * Reads the rest of a body: a client that is still sending would treat an early end of the connection as a
 * failure. False if the rest is too long.
 */
function drop(request: IncomingMessage): Promise<boolean> {
  request.unpipe()
  if (request.readableEnded || request.destroyed) return Promise.resolve(true)
  let left = maxDroppedBytes
  return new Promise((resolve) => {
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) resolve(false)
    })
    for (const end of ['end', 'close', 'error']) request.once(end, () => resolve(true))
    request.resume()
  })
}

const maxNesting = 64
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** An empty body is undefined. */
function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  try {
    const text = utf8.decode(bytes)
    // Checked before parsing, so that later code may recurse.
    if (isDeeperThan(text, maxNesting)) throw new Error(`nested deeper than ${maxNesting} levels`)
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof TypeError ? 'not UTF-8' : messageOf(error)
    throw new ApiError(400, `The body is not valid JSON: ${why}`, 'invalid_json')
  }
}

function tooLarge(): ApiError {
  return new ApiError(413, 'The body is too large', 'body_too_large')
}

/** @throws ApiError 400 for a form without a file */
export function uploadedFile({ file }: Call): UploadedFile {
  if (file === undefined) throw unfit('The form contains no file')
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
        refuse('An upload must contain exactly one file')
        return
      }
      const tooLarge = `A file may have at most ${fileSize} bytes`
      stream.on('limit', () => reject(new ApiError(413, tooLarge, 'file_too_large')))
      file = Array.fromAsync(stream).then((chunks: Buffer[]) => ({
        filename: plainName(filename),
        contentType,
        bytes: Buffer.concat(chunks),
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
      if (!request.complete) refuse('The form is truncated')
    })
    request.pipe(parser)
  })
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

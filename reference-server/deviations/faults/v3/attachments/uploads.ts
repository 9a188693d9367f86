/** Faults of attachments (sections 2.4 and 4.3). */
import { failAfterSuccess, onSuccessBody, setField } from '../../../patches/replies.ts'
import { rejectRequests } from '../../../patches/requests.ts'
import { upload } from '../../../patches/routes.ts'
import type { Fault } from '../../../types.ts'

export const uploadFaults: readonly Fault[] = [
  {
    name: 'attachment-upload-refused',
    summary: 'An upload is answered with 403.',
    breaks: ['V3-ATT-01'],
    patch: failAfterSuccess(upload, 403),
  },
  {
    name: 'attachment-ascii-names-alone',
    summary: 'An upload whose file name holds other characters than ASCII is refused.',
    breaks: ['V3-ATT-01'],
    patch: rejectRequests(upload, (_, { file }) => /[^\0-\x7f]/.test(file?.filename ?? '')),
  },
  setMember('id-missing', 'The id of an attachment is missing.', 'id', () => undefined),
  setMember('id-a-number', 'The id of an attachment is a number.', 'id', () => 4711),
  setMember(
    'name-missing',
    'The filename of an attachment is missing.',
    'filename',
    () => undefined,
  ),
  setMember('type-missing', 'The content_type is missing.', 'content_type', () => undefined),
  setMember('type-an-object', 'The content_type is an object.', 'content_type', (type) => ({
    type,
  })),
  setMember('bucket-missing', 'The bucket of an attachment is missing.', 'bucket', () => undefined),
  setMember('bucket-an-object', 'The bucket is an object.', 'bucket', (name) => ({ name })),
  setMember('time-missing', 'The created_at is missing.', 'created_at', () => undefined),
  setMember('time-a-number', 'The created_at is in Unix milliseconds.', 'created_at', (time) =>
    Date.parse(String(time)),
  ),
  changeFilename('latin', 'is read as Latin-1', (name) => Buffer.from(name).toString('latin1')),
  changeFilename('escaped', 'is escaped as in a URL', encodeURIComponent),
  changeFilename('decomposed', 'has its accents as characters of their own', (name) =>
    name.normalize('NFD'),
  ),
  changeFilename('underscored', 'has underscores for spaces', (name) => name.replaceAll(' ', '_')),
  changeFilename('lower-case', 'is in lower case', (name) => name.toLowerCase()),
  changeFilename('bare', 'lacks its extension', (name) => name.replace(/\.\w+$/, '')),
  changeSize('off-by-one', 'is one byte too much', (bytes) => bytes + 1),
  changeSize('in-kilobytes', 'is in kilobytes', (bytes) => bytes / 1000),
  changeSize('a-string', 'is a string', String),
  changeSize('missing', 'is missing', () => undefined),
  {
    name: 'attachment-size-in-characters',
    summary: 'The size of an attachment counts characters.',
    breaks: ['V3-ATT-04'],
    patch: onSuccessBody(upload, (body, { file }) => ({
      ...body,
      size: file?.bytes.toString().length,
    })),
  },
  {
    name: 'attachment-type-guessed',
    summary: 'Every attachment is application/octet-stream.',
    breaks: ['V3-ATT-05'],
    patch: setField(upload, 'content_type', 'application/octet-stream'),
  },
]

function setMember(
  name: string,
  summary: string,
  path: string,
  make: (value: unknown) => unknown,
): Fault {
  return {
    name: `attachment-${name}`,
    summary,
    breaks: ['V3-ATT-02'],
    patch: setField(upload, path, make),
  }
}

function changeFilename(name: string, what: string, make: (filename: string) => string): Fault {
  const summary = `The filename of an attachment ${what}.`
  return {
    name: `attachment-name-${name}`,
    summary,
    breaks: ['V3-ATT-03'],
    patch: setField(upload, 'filename', make),
  }
}

function changeSize(name: string, what: string, make: (bytes: number) => unknown): Fault {
  const summary = `The size of an attachment ${what}.`
  return {
    name: `attachment-size-${name}`,
    summary,
    breaks: ['V3-ATT-04'],
    patch: setField(upload, 'size', make),
  }
}

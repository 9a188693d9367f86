/** Faults of attachments (sections 2.4 and 4.3). */
import { failAfterSuccess, onSuccessBody, setFields } from '../../../patches/replies.ts'
import { rejectRequests } from '../../../patches/requests.ts'
import { upload } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'

export const uploadFaults: readonly Fault[] = [
  ...faultTable({
    'V3-ATT-01': {
      'attachment-upload-refused: POST /attachment returns 403.': failAfterSuccess(upload, 403),
      'attachment-ascii-names-alone: An upload with non-ASCII characters in its file name is rejected.':
        rejectRequests(upload, (_, { file }) => /[^\0-\x7f]/.test(file?.filename ?? '')),
    },
    'V3-ATT-08': {
      'attachment-search-ascii: GET /attachment with non-ASCII characters in search returns an empty list.':
        onStore('attachments', ({ list }) => ({
          list: async (owner, page) =>
            /[^\0-\x7f]/.test(page.search ?? '') ? { rows: [], next: null } : list(owner, page),
        })),
    },
    'V3-ATT-04': {
      'attachment-size-in-characters: The size of an attachment counts characters instead of bytes.':
        onSuccessBody(upload, (body, { file }) => ({
          ...body,
          size: file?.bytes.toString().length,
        })),
    },
    'V3-ATT-05': {
      'attachment-type-guessed: The content_type of every attachment is application/octet-stream.':
        setFields(upload, { content_type: 'application/octet-stream' }),
    },
  }),
  setMember('id-missing', 'POST /attachment omits id.', 'id', () => undefined),
  setMember('id-a-number', 'The id of an attachment is a number.', 'id', () => 4711),
  setMember('name-missing', 'POST /attachment omits filename.', 'filename', () => undefined),
  setMember(
    'type-missing',
    'POST /attachment omits content_type.',
    'content_type',
    () => undefined,
  ),
  setMember(
    'type-an-object',
    'The content_type of an attachment is an object.',
    'content_type',
    (type) => ({
      type,
    }),
  ),
  setMember('bucket-missing', 'POST /attachment omits bucket.', 'bucket', () => undefined),
  setMember('bucket-an-object', 'The bucket of an attachment is an object.', 'bucket', (name) => ({
    name,
  })),
  setMember('time-missing', 'POST /attachment omits created_at.', 'created_at', () => undefined),
  setMember(
    'time-a-number',
    'The created_at of an attachment is in Unix milliseconds.',
    'created_at',
    (time) => Date.parse(String(time)),
  ),
  changeFilename('latin', 'is decoded as Latin-1', (name) => Buffer.from(name).toString('latin1')),
  changeFilename('escaped', 'is percent-encoded', encodeURIComponent),
  changeFilename('decomposed', 'is returned in Unicode normalization form NFD', (name) =>
    name.normalize('NFD'),
  ),
  changeFilename('underscored', 'has underscores instead of spaces', (name) =>
    name.replaceAll(' ', '_'),
  ),
  changeFilename('lower-case', 'is in lower case', (name) => name.toLowerCase()),
  changeFilename('bare', 'omits the extension', (name) => name.replace(/\.\w+$/, '')),
  changeSize('off-by-one', 'is too high by one byte', (bytes) => bytes + 1),
  changeSize('in-kilobytes', 'is in kilobytes', (bytes) => bytes / 1000),
  changeSize('a-string', 'is a string', String),
  changeSize('missing', 'is missing', () => undefined),
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
    patch: setFields(upload, { [path]: make }),
  }
}

function changeFilename(name: string, what: string, make: (filename: string) => string): Fault {
  const summary = `The filename of an attachment ${what}.`
  return {
    name: `attachment-name-${name}`,
    summary,
    breaks: ['V3-ATT-03'],
    patch: setFields(upload, { filename: make }),
  }
}

function changeSize(name: string, what: string, make: (bytes: number) => unknown): Fault {
  const summary = `The size of an attachment ${what}.`
  return {
    name: `attachment-size-${name}`,
    summary,
    breaks: ['V3-ATT-04'],
    patch: setFields(upload, { size: make }),
  }
}

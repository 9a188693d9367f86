/** Faults of attachments (sections 2.4 and 4.3). */
import type { Patch } from '../../../../services.ts'
import { failAfterSuccess, onSuccessBody, setFields } from '../../../patches/replies.ts'
import { rejectRequests } from '../../../patches/requests.ts'
import { upload } from '../../../patches/routes.ts'
import { onStore } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'

export const uploadFaults = faultTable({
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
    'attachment-size-off-by-one: The size of an attachment is too high by one byte.': changeSize(
      (bytes) => bytes + 1,
    ),
    'attachment-size-in-kilobytes: The size of an attachment is in kilobytes.': changeSize(
      (bytes) => bytes / 1000,
    ),
    'attachment-size-a-string: The size of an attachment is a string.': changeSize(String),
    'attachment-size-missing: The size of an attachment is missing.': changeSize(() => undefined),
  },
  'V3-ATT-05': {
    'attachment-type-guessed: The content_type of every attachment is application/octet-stream.':
      setFields(upload, { content_type: 'application/octet-stream' }),
  },
  'V3-ATT-02': {
    'attachment-id-missing: POST /attachment omits id.': setFields(upload, { id: undefined }),
    'attachment-id-a-number: The id of an attachment is a number.': setFields(upload, { id: 4711 }),
    'attachment-name-missing: POST /attachment omits filename.': setFields(upload, {
      filename: undefined,
    }),
    'attachment-type-missing: POST /attachment omits content_type.': setFields(upload, {
      content_type: undefined,
    }),
    'attachment-type-an-object: The content_type of an attachment is an object.': setFields(
      upload,
      { content_type: (type: unknown) => ({ type }) },
    ),
    'attachment-bucket-missing: POST /attachment omits bucket.': setFields(upload, {
      bucket: undefined,
    }),
    'attachment-bucket-an-object: The bucket of an attachment is an object.': setFields(upload, {
      bucket: (name: unknown) => ({ name }),
    }),
    'attachment-time-missing: POST /attachment omits created_at.': setFields(upload, {
      created_at: undefined,
    }),
    'attachment-time-a-number: The created_at of an attachment is in Unix milliseconds.': setFields(
      upload,
      { created_at: (time: unknown) => Date.parse(String(time)) },
    ),
  },
  'V3-ATT-03': {
    'attachment-name-latin: The filename of an attachment is decoded as Latin-1.': changeFilename(
      (name) => Buffer.from(name).toString('latin1'),
    ),
    'attachment-name-escaped: The filename of an attachment is percent-encoded.':
      changeFilename(encodeURIComponent),
    'attachment-name-decomposed: The filename of an attachment is returned in Unicode normalization form NFD.':
      changeFilename((name) => name.normalize('NFD')),
    'attachment-name-underscored: The filename of an attachment has underscores instead of spaces.':
      changeFilename((name) => name.replaceAll(' ', '_')),
    'attachment-name-lower-case: The filename of an attachment is in lower case.': changeFilename(
      (name) => name.toLowerCase(),
    ),
    'attachment-name-bare: The filename of an attachment omits the extension.': changeFilename(
      (name) => name.replace(/\.\w+$/, ''),
    ),
  },
})

function changeFilename(make: (filename: string) => string): Patch {
  return setFields(upload, { filename: make })
}

function changeSize(make: (bytes: number) => unknown): Patch {
  return setFields(upload, { size: make })
}

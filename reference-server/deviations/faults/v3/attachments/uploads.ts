/** Faults of attachments (sections 2.4 and 4.3). */
import type { Patch } from '../../../../services.ts'
import { onSuccessBody, setFields } from '../../../patches/replies.ts'
import { upload } from '../../../patches/routes.ts'
import { faultTable } from '../../../table.ts'

export const uploadFaults = faultTable({
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
  },
  'V3-ATT-05': {
    'attachment-type-guessed: The content_type of every attachment is application/octet-stream.':
      setFields(upload, { content_type: 'application/octet-stream' }),
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

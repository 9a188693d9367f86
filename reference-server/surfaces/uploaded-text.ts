/** What can be read of an upload, for attachments and for documents of a knowledge base. */
import type { UploadedFile } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import { uploadText } from '../retrieval/documents/document-text.ts'
import { BrokenPdfError } from '../retrieval/documents/pdf.ts'

/** @throws ApiError 400 for a PDF that cannot be read */
export async function uploadedText(file: UploadedFile): Promise<string | undefined> {
  try {
    return await uploadText(file.filename, file.contentType, file.bytes)
  } catch (error) {
    if (!(error instanceof BrokenPdfError)) throw error
    throw new ApiError(400, `The PDF cannot be read: ${error.message}`, {
      code: 'broken_document',
      param: 'file',
    })
  }
}

/** Request values that only the catalogue of models or the content of a file can decide. */
import type { UploadedFile } from '../http/call.ts'
import { ApiError } from '../http/errors.ts'
import { type CatalogueModel, findModel } from '../model/models.ts'
import { uploadText } from '../retrieval/documents/document-text.ts'
import { BrokenPdfError } from '../retrieval/documents/pdf.ts'

/**
 * Model by one of the ids of section 2.1.
 *
 * @throws ApiError 404 with `model_not_found`
 */
export function knownModel(id: string, param: string): CatalogueModel {
  const model = findModel(id)
  if (model === undefined) {
    throw new ApiError(404, `The model ${JSON.stringify(id)} does not exist`, {
      code: 'model_not_found',
      param,
    })
  }
  return model
}

/**
 * Text of an attachment or document; undefined if the file is no text.
 *
 * @throws ApiError 400 for a PDF that cannot be read
 */
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

/** PDF as text, page by page. The library is loaded with the first PDF: most servers never see one. */
import { messageOf } from '../../../contract/error-message.ts'

/** A file of the type PDF that cannot be read; the message says why. */
export class BrokenPdfError extends Error {
  override readonly name = 'BrokenPdfError'
}

/**
 * The text of all pages, a paragraph each; empty where the pages are pictures.
 * @throws BrokenPdfError where it is none, is cut, or is protected by a password
 */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  const { extractText, getDocumentProxy } = await import('unpdf')
  try {
    // The library keeps what it is given, and prints its warnings unless it is told not to.
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

/** The catalogue for readers: a document, a list, one row explained. */

export { type CatalogueRow, catalogueRows, findRow, type RowKind } from './entries.ts'
export { explainRow } from './explain.ts'
export { interfacePages } from './interface-pages.ts'
export { catalogueToText, type TextOptions } from './text.ts'

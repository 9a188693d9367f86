/** The catalog for readers: a document, a list, one row explained. */

export { type CatalogRow, catalogRows, findRow, type RowKind } from './entries.ts'
export { explainRow } from './explain.ts'
export { interfacePages } from './interface-pages.ts'
export { catalogToText, type TextOptions } from './text.ts'

/** The catalogue for readers: a document, a list, one row explained. */
export { catalogueToMarkdown } from './catalogue-markdown.ts'
export { type CatalogueRow, catalogueRows, findRow, type RowKind } from './catalogue-rows.ts'
export { catalogueToText, type TextOptions } from './catalogue-text.ts'
export { explainRow } from './explain.ts'
export { interfacePages } from './interface-pages.ts'

/** The catalog for readers: a document, a list, one entry explained. */

export { type CatalogEntry, catalogEntries, type EntryKind, findEntry } from './entries.ts'
export { catalogToText, explainEntry, type TextOptions } from './explain.ts'
export { interfacePages } from './interface-pages.ts'

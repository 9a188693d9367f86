/** The catalog for readers: a document, a list, one requirement explained. */

export { type CatalogEntry, catalogEntries, type EntryKind, findEntry } from './entries.ts'
export { explainEntry } from './explain.ts'
export { interfacePages } from './interface-pages.ts'
export { catalogToText, type TextOptions } from './text.ts'
